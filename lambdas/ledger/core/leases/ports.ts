/** The dependencies of the leases of a process, and the storage of the records of their calls. */
import type { KeyStore } from '../../../access/core/keys/key-store.ts';
import type { After, Clock, Log } from '../../../platform/core/ports.ts';
import type { LeaseTimes } from '../lease-times.ts';
import type { WalletStore } from '../ports.ts';
import type { Recovery } from '../recovery.ts';
import type { UsageRecord } from '../usage-record.ts';

/** The dependencies of all leases of a process. */
export interface LeaseDependencies {
  readonly wallets: Pick<WalletStore, 'writeLease' | 'readShard' | 'drawShard' | 'hasShards'>;
  readonly keys: Pick<KeyStore, 'writeLease' | 'read'>;
  /** The time of day. */
  readonly clock: Clock;
  /** Milliseconds of the process, which no correction of its clock changes. */
  readonly uptime: Clock;
  readonly after: After;
  readonly times: LeaseTimes;
  readonly log: Log;
  /** Recovers what has expired, as the items show it. */
  readonly recovery: Pick<Recovery, 'expiredOf' | 'recoverQuietly' | 'recoverKey'>;
}

/** Past the fence of a lease no record of it may be signed: recovery may already have read the records. */
export class FenceError extends Error {
  override readonly name = 'FenceError';
}

export interface RecordStore {
  /**
   * Writes records, at most `MAX_BATCH`, each over an earlier copy of itself. Returns those that the database did not
   * process. Throws `FenceError`, with nothing sent, if the request would be signed after `fenceMs`.
   */
  putAll(records: readonly UsageRecord[], fenceMs: number): Promise<readonly UsageRecord[]>;
}

/** Items of one request (Amazon DynamoDB API reference, BatchWriteItem). */
export const MAX_BATCH = 25;
