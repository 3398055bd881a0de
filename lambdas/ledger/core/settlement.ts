/**
 * Settlement of an admitted call, whatever covers it. The usage record is the commit point: it decides what the call costs,
 * and everything after it can be finished by anyone, any number of times.
 *
 *   make the record durable -> end what covered the call | count usage beyond the bound
 */
import type { Kind } from '../../platform/core/kinds.ts';
import { least, type NanoUsd } from '../../platform/core/money.ts';
import type { Clock, Log } from '../../platform/core/ports.ts';
import type { Settlement } from './call.ts';
import type { UnbilledStore } from './ports.ts';
import type { CallOutcome, UsageRecord } from './usage-record.ts';

/** The identity of a call, as its record has it. */
export interface CallIdentity {
  /** The request id. */
  readonly id: string;
  readonly keyId: string;
  readonly accountId: string;
  readonly kind: Kind;
}

/** The credit that covers an admitted call until it is settled: a hold in the wallet, or a draw from a lease (`covers.ts`). */
export interface Cover {
  /** The most that the call may cost. */
  readonly amount: NanoUsd;
  /** The mark of the cover in the record of its call. */
  readonly mark: Pick<UsageRecord, 'attempt' | 'lease'>;
  /**
   * Makes the record durable, and then calls `onDurable` at once. Returns another record if the call has one already.
   * Throws if it is unknown whether the record was written, or if its caller has waited too long.
   */
  record(record: UsageRecord, onDurable: () => void): Promise<'written' | UsageRecord>;
  /**
   * Keeps the cost of the record, and returns the rest to the wallet and the key. `tokens` count against the key's tokens a
   * minute. Returns the balance after it; undefined if recovery completes it. Does not throw.
   */
  end(record: UsageRecord, tokens: number): Promise<NanoUsd | undefined>;
}

export interface SettlementDependencies {
  /** Counts the operator's losses; absent where no call of a route is settled. */
  readonly unbilled?: UnbilledStore | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /** Receives each call that this process settled, once its record is durable. */
  readonly onSettled: SettlementListener;
}

export type SettlementListener = (record: UsageRecord) => void;

/**
 * Settles one call. It never costs more than its cover. Throws only if it is unknown whether the record was written, or after
 * a wait for a database that is out of order. Recovery then decides from the stored data after the cover has expired.
 */
export async function settleCall(
  { unbilled, clock, log, onSettled }: SettlementDependencies,
  { call, cover }: { readonly call: CallIdentity; readonly cover: Cover },
  { tokens, amount: billed, excess, ...counted }: CallOutcome,
): Promise<Settlement> {
  const { id: requestId } = call;
  const { amount: heldAmount, mark } = cover;
  const cost = least(billed, heldAmount);
  const waived = billed - cost;
  const lost = waived + (excess?.amount ?? 0n);
  const record: UsageRecord = {
    ...counted,
    ...mark,
    ...call,
    created: Math.floor(clock() / 1000),
    cost,
    heldAmount,
    ...(waived > 0n ? { waived } : {}),
    ...(lost > 0n ? { unbilled: { factor: 1, ...excess, amount: lost } } : {}),
  };
  let ended: Promise<NanoUsd | undefined> | undefined;
  const written = await cover.record(record, () => {
    ended = cover.end(record, tokens);
    onSettled(record);
  });
  if (written !== 'written') {
    // Any other record is the call's own, by an earlier or a second settlement of it.
    if (written.status === 'expired')
      log.error('a call was recovered before it settled', { requestId, unpaid: String(cost) });
    return { record: written, balance: undefined };
  }
  if (record.unbilled !== undefined && record.route !== null)
    await unbilled
      ?.add(record.route, record.unbilled)
      .catch(() => log.warn('unbilled usage not counted', { requestId }));
  return { record, balance: await ended };
}
