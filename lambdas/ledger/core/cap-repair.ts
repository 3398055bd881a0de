/**
 * Repair of what a dead call, or a give-back that was lost, took from the caps of its key: a key that is at rest gets its
 * cap, less what the records of the window cost. At any time: left <= cap - settled cost of the window.
 */
import { type Cap, capsLeft } from '../../access/core/keys/caps.ts';
import { capOf, type KeyState } from '../../access/core/keys/key-state.ts';
import type { KeyStore } from '../../access/core/keys/key-store.ts';
import { windowsAt } from '../../access/core/keys/windows.ts';
import type { NanoUsd } from '../../platform/core/money.ts';
import type { Clock, Log } from '../../platform/core/ports.ts';
import { needsRepair } from './key-rest.ts';
import type { Hold, WalletStore } from './ports.ts';
import { currentWallet, type Recovery } from './recovery.ts';

/** The cost of a key's records that were created in the windows of a time. */
export type Spend = Readonly<Record<Cap['window'], NanoUsd>>;

/** The spend of each key; undefined if not all records could be read. */
export type Spends = ReadonlyMap<string, Spend> | undefined;

/** The same of one key. */
export type KeySpend = (key: Pick<KeyState, 'accountId' | 'keyId'>, nowMs: number) => Promise<Spends>;

export interface CapRepairDependencies {
  readonly keys: Pick<KeyStore, 'read' | 'repair'>;
  /** All open holds of an account, in whichever shard they are. */
  readonly holds: (accountId: string) => Promise<readonly Pick<Hold, 'keyId'>[]>;
  readonly spend: (accountId: string, nowMs: number) => Promise<Spends>;
  /** Recovers the expired leases of a key, also those without an entry in a wallet, to which no sweep leads. */
  readonly recoverKey?: Recovery['recoverKey'];
  readonly clock: Clock;
}

/** Keys that are read at a time. */
const AT_ONCE = 16;

/**
 * Repairs the caps of those of an account's keys that need it, and returns their number. Reads no records if none does.
 * The order makes it safe:
 *
 * - First the key: the write fails if the key is charged afterwards.
 * - Then the holds: a hold ends after its record is written. Without a hold, every earlier charged call has its record
 * or will have none.
 * - Then the records.
 *
 * A process that has yet to revert a charge detects the changed `repaired` (`KeyStore.settle`).
 */
export async function repairCaps(
  { keys, holds, spend: spendOf, recoverKey, clock }: CapRepairDependencies,
  accountId: string,
  keyIds: readonly string[],
): Promise<number> {
  const nowMs = clock();
  const due: KeyState[] = [];
  for (let at = 0; at < keyIds.length; at += AT_ONCE) {
    const found = await Promise.all(keyIds.slice(at, at + AT_ONCE).map((keyId) => keys.read(keyId)));
    const states = found.filter((state) => state !== undefined);
    for (const state of states) await recoverKey?.(state);
    due.push(...states.filter((state) => needsRepair(state, nowMs)));
  }
  if (due.length === 0) return 0;
  const heldKeyIds = new Set((await holds(accountId)).map(({ keyId }) => keyId));
  const idle = due.filter(({ keyId }) => !heldKeyIds.has(keyId));
  const spends = idle.length === 0 ? undefined : await spendOf(accountId, nowMs);
  if (spends === undefined) return 0;
  let repaired = 0;
  for (const state of idle) {
    const spend = spends.get(state.keyId);
    const left = capsLeft((cap) => capOf(state.policy, cap) - (spend?.[cap.window] ?? 0n));
    if (await keys.repair(state, windowsAt(nowMs), left)) repaired += 1;
  }
  return repaired;
}

export interface CapRejectionDependencies extends Pick<CapRepairDependencies, 'keys' | 'clock'> {
  readonly wallets: Pick<WalletStore, 'read'>;
  readonly recovery: Recovery;
  readonly spend?: KeySpend | undefined;
  readonly log: Log;
}

/** Repairs a key whose cap has rejected a call. Returns whether it did, so that the call may be retried once. */
export async function repairRejectingCap(
  { keys, clock, wallets, recovery, spend, log }: CapRejectionDependencies,
  state: KeyState,
): Promise<boolean> {
  if (spend === undefined) return false;
  const { accountId, keyId } = state;
  const sources = {
    holds: async () => (await currentWallet({ wallets, recovery }, accountId)).holds,
    spend: (_accountId: string, nowMs: number) => spend(state, nowMs),
  };
  try {
    return (await repairCaps({ keys, clock, ...sources }, accountId, [keyId])) > 0;
  } catch (failure) {
    log.warn('cap not repaired', { keyId, failure: String(failure) });
    return false;
  }
}
