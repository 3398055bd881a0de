/**
 * Settlement of an admitted call. The usage record is the commit point: whoever writes it has decided what the call
 * costs, and everything after it can be finished by anyone, any number of times.
 *
 *   grow the hold if the cost exceeds it -> write the record -> end the hold, refund | correct the key's windows
 */
import { windowsAt } from '../access/windows.ts';
import type { NanoUsd } from '../money.ts';
import type { Clock, Log } from '../ports.ts';
import type { CallRequest } from './admission.ts';
import type { Hold, KeyStore, UsageStore, WalletStore } from './ports.ts';
import type { Outcome, UsageRecord } from './usage-record.ts';

export interface Settlement {
  readonly record: UsageRecord;
  /** The balance after the refund; undefined when the refund is left to recovery. */
  readonly balance: NanoUsd | undefined;
}

interface SettlementDependencies {
  readonly keys: KeyStore;
  readonly wallets: WalletStore;
  readonly usage: UsageStore;
  readonly clock: Clock;
  readonly log: Log;
  /** Told what no balance covered, nano-USD. */
  readonly onWrittenOff: (amount: NanoUsd) => void;
}

/**
 * Settles one call. Throws only when the record could not be written: then nothing is decided, the hold expires
 * and is released. In two rounds of database calls, three when the cost exceeds the hold.
 */
export async function settleCall(
  dependencies: SettlementDependencies,
  request: CallRequest,
  hold: Hold,
  outcome: Outcome,
): Promise<Settlement> {
  const { wallets, usage, keys, clock, log, onWrittenOff } = dependencies;
  const { accountId, keyId } = request.key;
  const held =
    outcome.cost > hold.amount ? await grow(dependencies, accountId, hold, outcome.cost) : hold.amount;
  const cost = outcome.cost > held ? held : outcome.cost;
  const record = toRecord(request, outcome, cost, Math.floor(clock() / 1000));
  const written = await usage.put(record);
  if (written !== 'written') {
    log.error('a call was recovered before it settled', { requestId: hold.id, unpaid: String(outcome.cost) });
    return { record: written, balance: undefined };
  }
  const correction = {
    keyId,
    windows: windowsAt(hold.created * 1000),
    tokens: request.tokens - outcome.tokens,
    // What was written off still counts against the caps: the call did cost it.
    amount: hold.amount - outcome.cost,
  };
  const [ended, corrected] = await Promise.allSettled([
    wallets.endHold(accountId, { ...hold, amount: held, cost }),
    keys.correct(correction),
  ]);
  if (record.writtenOff > 0n) onWrittenOff(record.writtenOff);
  if (corrected.status === 'rejected') log.warn('windows not corrected', { requestId: hold.id });
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

function toRecord(request: CallRequest, outcome: Outcome, cost: NanoUsd, created: number): UsageRecord {
  const { tokens: _tokens, ...counted } = outcome;
  return {
    ...counted,
    id: request.requestId,
    keyId: request.key.keyId,
    accountId: request.key.accountId,
    created,
    kind: request.scope.kind,
    cost,
    writtenOff: outcome.cost - cost,
  };
}
