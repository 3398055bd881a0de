/** The tables of a simulated service, and the ledger's stores on them for each process. */

import type { KeyLeaseWrite, LeaseResult } from '../../../access/core/key-leases.ts';
import type { Windows } from '../../../access/core/windows.ts';
import {
  FenceError,
  type LeasedRecord,
  type LeaseStores,
  type RecordStore,
  type WalletLeaseWrite,
} from '../../core/leases/ports.ts';
import type { UsageRecord } from '../../core/usage-record.ts';
import { type KeyItem, leasedKey, leasedWallet, type WalletItem, writeKey, writeWallet } from './items.ts';
import type { SimulatedProcess } from './simulated-process.ts';
import type { Simulation } from './simulation.ts';

/** The number of times that a client sends a request that is safe to repeat. */
const TRIES = 3;

/** A write of a lease as the database executed it. `before` and `after` are all shards of the wallet, or the key. */
export type ExecutedWrite =
  | {
      readonly side: 'wallet';
      readonly write: WalletLeaseWrite;
      readonly before: readonly WalletItem[];
      readonly after: readonly WalletItem[];
      readonly applied: boolean;
    }
  | {
      readonly side: 'key';
      readonly write: KeyLeaseWrite;
      readonly before: KeyItem;
      readonly after: KeyItem;
      readonly applied: boolean;
      readonly nowSeconds: number;
    };

export type StoredRecord = UsageRecord & { readonly lease?: string | undefined };

export class SimulatedDatabase {
  /** The items of wallets, by shard. */
  readonly wallets = new Map<string, WalletItem>();
  readonly keys = new Map<string, KeyItem>();
  /** The usage records, by request id. */
  readonly records = new Map<string, StoredRecord>();
  /** Receives copies of the items before and after each write of a lease. */
  onWrite: ((executed: ExecutedWrite) => void) | undefined;

  shardsOf(accountId: string): readonly WalletItem[] {
    return [...this.wallets.values()].filter(({ walletId }) => walletId.split('#')[0] === accountId);
  }
}

const accountOf = (walletId: string): string => walletId.split('#')[0] ?? walletId;

export interface StoreOptions {
  readonly database: SimulatedDatabase;
  readonly process: SimulatedProcess;
  readonly simulation: Simulation;
  readonly faultRate: () => number;
}

export function createLeaseStores({ database, process, simulation }: StoreOptions): LeaseStores {
  const { wallets, keys } = database;
  const nowSeconds = () => Math.floor(process.clock() / 1000);
  async function write<T>(
    opens: boolean,
    operation: () => Omit<LeaseResult<T>, 'copies'>,
  ): Promise<LeaseResult<T>> {
    const { result, copies } = await process.send(operation, { tries: opens ? 1 : TRIES });
    return { ...result, copies };
  }
  const read = async <T>(operation: () => T): Promise<T> =>
    (await process.send(operation, { tries: TRIES })).result;
  const walletOf = (walletId: string) => {
    const item = wallets.get(walletId);
    return item && leasedWallet(item);
  };
  const keyOf = (keyId: string, windows: Windows) => {
    const item = keys.get(keyId);
    return item && leasedKey(item, windows);
  };
  return {
    wallets: {
      write: (request) =>
        write(request.from === undefined, () => {
          const item = wallets.get(request.walletId);
          const shards = database.shardsOf(accountOf(request.walletId));
          const before = database.onWrite && structuredClone(shards);
          const applied = item !== undefined && writeWallet(item, shards, request);
          if (before !== undefined)
            database.onWrite?.({
              side: 'wallet',
              write: request,
              before,
              after: structuredClone(shards),
              applied,
            });
          const found = walletOf(request.walletId);
          if (applied || !request.across || found === undefined) return { applied, item: found };
          return {
            applied,
            item: { ...found, balance: shards.reduce((sum, { balance }) => sum + balance, 0n) },
          };
        }),
      read: (walletId) => read(() => walletOf(walletId)),
      drawShard: (accountId) => simulation.pick(database.shardsOf(accountId)).walletId,
      hasShards: (accountId) => database.shardsOf(accountId).length > 1,
      collect: (accountId) =>
        read(() => {
          for (const shard of database.shardsOf(accountId)) {
            const paid = shard.balance < shard.debt ? shard.balance : shard.debt;
            shard.balance -= paid;
            shard.debt -= paid;
          }
        }),
    },
    keys: {
      write: (request) => {
        const now = nowSeconds();
        return write(request.from === undefined, () => {
          const item = keys.get(request.keyId);
          const before = database.onWrite && structuredClone(item);
          const applied = item !== undefined && writeKey(item, request, now);
          if (before !== undefined)
            database.onWrite?.({
              side: 'key',
              write: request,
              before,
              after: structuredClone(item as KeyItem),
              applied,
              nowSeconds: now,
            });
          return { applied, item: keyOf(request.keyId, request.windows) };
        });
      },
      read: (keyId, windows) => read(() => keyOf(keyId, windows)),
    },
  };
}

export function createRecordStore({ database, process, simulation, faultRate }: StoreOptions): RecordStore {
  const { records } = database;
  return {
    async putAll(batch: readonly LeasedRecord[], fenceMs) {
      const onSigned = () => {
        if (process.clock() > fenceMs) throw new FenceError();
      };
      const put = () => {
        const unprocessed = batch.filter(() => simulation.chance(faultRate()));
        for (const record of batch) if (!unprocessed.includes(record)) records.set(record.id, record);
        return unprocessed;
      };
      return (await process.send(put, { tries: TRIES, onSigned })).result;
    },
    async ofLease({ keyId, leaseId, from, to }) {
      const query = () =>
        [...records.values()].filter(
          ({ id, keyId: key, lease }) => key === keyId && lease === leaseId && id >= from && id < to,
        );
      return (await process.send(query, { tries: TRIES })).result;
    },
  };
}
