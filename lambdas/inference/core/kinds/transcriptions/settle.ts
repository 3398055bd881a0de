/** Settles a transcription by its duration. The step may be repeated, and completes what an earlier attempt started. */
import { type HoldCoverDependencies, holdCover, identityOf } from '../../../../ledger/core/covers.ts';
import type { Hold, WalletStore } from '../../../../ledger/core/ports.ts';
import type { Recovery } from '../../../../ledger/core/recovery.ts';
import { type SettlementDependencies, settleCall } from '../../../../ledger/core/settlement.ts';
import type { BillLine, CallOutcome, UsageRecord } from '../../../../ledger/core/usage-record.ts';
import type { NanoUsd } from '../../../../platform/core/money.ts';
import { amountOf } from '../../pricing/bill.ts';
import type { SettlementOrder } from './order.ts';

export interface SettleTranscriptionDependencies extends SettlementDependencies, HoldCoverDependencies {
  readonly wallets: Pick<WalletStore, 'endHold' | 'findHold' | 'balance'>;
  readonly recovery: Recovery;
}

/** Returns the outcome of the call. */
export function outcomeOf(order: Omit<SettlementOrder, 'accountId'>): CallOutcome {
  const { model, route, seconds, estimated, catalog, providerCost } = order;
  const lines = linesOf(order);
  return {
    model,
    inputUnits: seconds,
    cachedUnits: 0,
    outputUnits: 0,
    unit: 'second',
    amount: amountOf(lines),
    estimated,
    route,
    status: 'completed',
    tokens: 0,
    lines,
    catalog,
    ...(providerCost === undefined ? {} : { providerCost: BigInt(providerCost) }),
  };
}

const linesOf = ({ lines }: Pick<SettlementOrder, 'lines'>): BillLine[] =>
  lines.map((line) => ({ ...line, price: BigInt(line.price) }));

/** A call whose hold has ended. */
export interface SettledTranscription {
  readonly record: UsageRecord;
  readonly balance: NanoUsd;
}

/** Settles the call. Throws if it is unknown whether the call is settled. The caller then attempts it again. */
export async function settleTranscription(
  dependencies: SettleTranscriptionDependencies,
  order: SettlementOrder,
): Promise<SettledTranscription> {
  const { wallets, recovery } = dependencies;
  const { requestId, accountId } = order;
  const hold = { id: requestId, ...order.hold, amount: BigInt(order.hold.amount) } as Hold;
  const held = { accountId, hold, charge: order.charge, tokens: 0 };
  const covered = { call: identityOf(held), cover: holdCover(dependencies, held) };
  const { record, balance } = await settleCall(dependencies, covered, outcomeOf(order));
  if (balance !== undefined) return { record, balance };
  // Another try wrote the record, and may have died before it ended the hold.
  const remainingHold = await wallets.findHold(accountId, hold);
  if (remainingHold !== undefined) await recovery.recover({ accountId, holds: [remainingHold] });
  return { record, balance: await wallets.balance(accountId) };
}
