/**
 * Settlement of an admitted call. The usage record is the commit point: whoever writes it has decided what the call
 * costs, and everything after it can be finished by anyone, any number of times.
 *
 *   if the cost exceeds the hold, grow it | charge the key -> write the record -> end the hold, refund | settle the charge
 */
import type { Windows } from '../access/windows.ts';
import type { NanoUsd } from '../money.ts';
import type { Clock, Log } from '../ports.ts';
import type { CallRequest } from './call.ts';
import { probationChange } from './exposure.ts';
import type { Hold, KeyStore, UsageStore, WalletStore } from './ports.ts';
import type { Outcome, UsageRecord } from './usage-record.ts';

export interface Settlement {
  readonly record: UsageRecord;
  /** The balance after the refund; undefined when the refund is left to recovery. */
  readonly balance: NanoUsd | undefined;
}

/** A call as it was admitted. */
export interface AdmittedCall {
  readonly request: Pick<CallRequest, 'requestId'> & {
    /** What it took from the key's tokens a minute. */
    readonly tokens: number;
    readonly key: Pick<CallRequest['key'], 'accountId' | 'keyId'>;
    readonly scope: Pick<CallRequest['scope'], 'kind'>;
  };
  readonly hold: Hold;
  /** The key's windows that it was charged to. */
  readonly windows: Windows;
}

export interface SettlementDependencies {
  readonly keys: KeyStore;
  readonly wallets: WalletStore;
  readonly usage: UsageStore;
  readonly clock: Clock;
  readonly log: Log;
  /** Receives each call that this process settled, once its record is written. */
  readonly onSettled: OnSettled;
}

/** `fellShort`: the call cost more than its hold. */
export type OnSettled = (record: UsageRecord, fellShort: boolean) => void;

/**
 * Settles one call. Throws only when it is not known whether the record was written: then recovery decides by what it
 * finds when the hold has expired. In two rounds of database calls, three when the cost exceeds the hold.
 */
export async function settleCall(
  dependencies: SettlementDependencies,
  call: AdmittedCall,
  outcome: Outcome,
): Promise<Settlement> {
  const { request, hold } = call;
  const { wallets, usage, keys, clock, log, onSettled } = dependencies;
  const { accountId, keyId } = request.key;
  const fellShort = outcome.cost > hold.amount;
  const [held, charged] = fellShort
    ? await Promise.all([
        grow(dependencies, accountId, hold, outcome.cost),
        // Before the record, so that a crash leaves a cap with too little rather than with too much.
        chargeMore(dependencies, call, outcome.cost),
      ])
    : [hold.amount, hold.amount];
  const cost = outcome.cost > held ? held : outcome.cost;
  const record = toRecord(call, outcome, { cost, held, created: Math.floor(clock() / 1000) });
  const written = await usage.put(record);
  if (written !== 'written') {
    log.error('a call was recovered before it settled', { requestId: hold.id, unpaid: String(outcome.cost) });
    return { record: written, balance: undefined };
  }
  const [ended, corrected] = await Promise.allSettled([
    wallets.endHold(accountId, {
      ...hold,
      amount: held,
      cost,
      recorded: record.created,
      fellShort,
      probation: probationChange(outcome.cost, hold),
    }),
    keys.settle(keyId, {
      windows: call.windows,
      taken: { tokens: request.tokens, amount: charged },
      // What was written off still counts against the caps: the call did cost it.
      used: { tokens: outcome.tokens, amount: outcome.cost },
    }),
  ]);
  onSettled(record, fellShort);
  if (fellShort) log.warn('a call cost more than its hold', { requestId: hold.id, accountId });
  // Whoever wrote the record settles the charge, and nobody else: what is lost here is missing until the windows end.
  if (corrected.status === 'rejected') log.warn('charge not settled', { requestId: hold.id });
  if (ended.status === 'rejected') log.warn('refund left to recovery', { requestId: hold.id });
  return { record, balance: ended.status === 'fulfilled' ? ended.value : undefined };
}

/** Widens the hold to the cost; where that fails, the call pays its hold and the rest is written off. */
async function grow(
  { wallets, log }: SettlementDependencies,
  accountId: string,
  hold: Hold,
  target: NanoUsd,
): Promise<NanoUsd> {
  try {
    return await wallets.growHold(accountId, hold, target);
  } catch (failure) {
    log.warn('hold not grown', { requestId: hold.id, failure: String(failure) });
    return hold.amount;
  }
}

/** A failed database call is repeated once: if this process dies at the record, nobody takes from the cap what it overran. */
const CHARGE_TRIES = 2;

/** Charges the key with what the call cost beyond its hold; returns what it is charged with then. */
async function chargeMore(
  { keys, log }: SettlementDependencies,
  { request, hold, windows }: AdmittedCall,
  cost: NanoUsd,
): Promise<NanoUsd> {
  const { tokens } = request;
  const end = { windows, taken: { tokens, amount: hold.amount }, used: { tokens, amount: cost } };
  for (let tries = 1; ; tries += 1) {
    try {
      await keys.settle(request.key.keyId, end);
      return cost;
    } catch (failure) {
      if (tries < CHARGE_TRIES) continue;
      log.warn('key not charged with more', { requestId: hold.id, failure: String(failure) });
      return hold.amount;
    }
  }
}

function toRecord(
  { request, hold }: AdmittedCall,
  outcome: Outcome,
  { cost, held, created }: Pick<UsageRecord, 'cost' | 'held' | 'created'>,
): UsageRecord {
  const { tokens: _tokens, ...counted } = outcome;
  return {
    ...counted,
    id: request.requestId,
    attempt: hold.attempt,
    keyId: request.key.keyId,
    accountId: request.key.accountId,
    created,
    held,
    kind: request.scope.kind,
    cost,
    writtenOff: outcome.cost - cost,
  };
}
