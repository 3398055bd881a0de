/** Settles a transcription by its duration. The step may be repeated, and completes what an earlier attempt started. */
import type { Settlement } from '../../../../ledger/core/call.ts';
import { type HoldCoverDependencies, holdCover, identityOf } from '../../../../ledger/core/covers.ts';
import type { WalletStore } from '../../../../ledger/core/ports.ts';
import type { Recovery } from '../../../../ledger/core/recovery.ts';
import { type SettlementDependencies, settleCall } from '../../../../ledger/core/settlement.ts';
import type { NanoUsd } from '../../../../platform/core/money.ts';
import type { SettlementOrder } from './order.ts';

export interface SettleTranscriptionDependencies extends SettlementDependencies, HoldCoverDependencies {
  readonly wallets: Pick<WalletStore, 'endHold' | 'findHold' | 'balance'>;
  readonly recovery: Recovery;
}

/** Settles the call. Throws if it is unknown whether the call is settled. The caller then attempts it again. */
export async function settleTranscription(
  dependencies: SettleTranscriptionDependencies,
  { outcome, ...held }: SettlementOrder,
): Promise<Settlement & { readonly balance: NanoUsd }> {
  const { wallets, recovery } = dependencies;
  const { accountId, hold } = held;
  const covered = { call: identityOf(held), cover: holdCover(dependencies, { ...held, tokens: 0 }) };
  const { record, balance } = await settleCall(dependencies, covered, outcome);
  if (balance !== undefined) return { record, balance };
  // Another try wrote the record, and may have died before it ended the hold.
  const remainingHold = await wallets.findHold(accountId, hold);
  if (remainingHold !== undefined) await recovery.recover({ accountId, holds: [remainingHold] });
  return { record, balance: await wallets.balance(accountId) };
}
