/**
 * Settlement of an admitted call. The usage record is the commit point: whoever writes it has decided what the call
 * costs, and everything after it can be finished by anyone, any number of times.
 *
 *   write the record -> end the hold, refund | settle the charge of the key
 */

import type { KeyStore } from '../../access/core/key-store.ts';
import { least } from '../../platform/core/money.ts';
import type { Clock, Log } from '../../platform/core/ports.ts';
import type { AdmittedCall, Settlement } from './call.ts';
import type { UnbilledStore, UsageStore, WalletStore } from './ports.ts';
import type { CallOutcome, UsageRecord } from './usage-record.ts';

export interface SettlementDependencies {
  readonly keys: KeyStore;
  readonly wallets: WalletStore;
  readonly usage: UsageStore;
  /** Counts usage beyond the bound of its call; absent where no such call is settled. */
  readonly unbilled?: UnbilledStore | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /** Receives each call that this process settled, once its record is written. */
  readonly onSettled: SettlementListener;
}

export type SettlementListener = (record: UsageRecord) => void;

/**
 * Settles one call, in two rounds of database requests. It never costs more than its hold. Throws only if it is unknown
 * whether the record was written. Recovery then decides from the stored data after the hold has expired.
 */
export async function settleCall(
  dependencies: SettlementDependencies,
  call: AdmittedCall,
  outcome: CallOutcome,
): Promise<Settlement> {
  const { accountId, hold } = call;
  const { wallets, usage, keys, unbilled, clock, log, onSettled } = dependencies;
  if (outcome.cost > hold.amount)
    log.error('a call came to more than its hold', { requestId: hold.id, unpaid: String(outcome.cost) });
  const cost = least(outcome.cost, hold.amount);
  const record = toRecord(call, { ...outcome, cost }, Math.floor(clock() / 1000));
  const written = await usage.put(record);
  if (written !== 'written') {
    // Any other record is the call's own, by an earlier or a second settlement of it.
    if (written.status === 'expired')
      log.error('a call was recovered before it settled', { requestId: hold.id, unpaid: String(cost) });
    return { record: written, balance: undefined };
  }
  const [endResult, corrected, counted] = await Promise.allSettled([
    wallets.endHold(accountId, { ...hold, cost, recorded: record.created }),
    keys.settle(hold.keyId, {
      ...call.charge,
      unused: { requests: 0, tokens: call.tokens - outcome.tokens, amount: hold.amount - cost },
      cost,
    }),
    record.unbilled && record.route !== null ? unbilled?.add(record.route, record.unbilled) : undefined,
  ]);
  onSettled(record);
  // Only the writer of the record settles the charge: an amount lost here is missing until the caps are repaired.
  if (corrected.status === 'rejected') log.warn('charge not settled', { requestId: hold.id });
  if (counted.status === 'rejected') log.warn('unbilled usage not counted', { requestId: hold.id });
  if (endResult.status === 'rejected') log.warn('refund left to recovery', { requestId: hold.id });
  return { record, balance: endResult.status === 'fulfilled' ? endResult.value : undefined };
}

function toRecord({ accountId, hold }: AdmittedCall, outcome: CallOutcome, created: number): UsageRecord {
  const { tokens: _tokens, ...counted } = outcome;
  const { id, attempt, keyId, kind, amount } = hold;
  return { ...counted, id, attempt, keyId, accountId, created, heldAmount: amount, kind };
}
