/** The tables of a simulated service, and the ledger's stores on them for each process. */

import type { KeyLeaseWrite } from '../../../access/core/keys/key-leases.ts';
import type { KeyStore } from '../../../access/core/keys/key-store.ts';
import { type Windows, windowsAt } from '../../../access/core/keys/windows.ts';
import { FenceError, type RecordStore } from '../../core/leases/ports.ts';
import type { Hold, HoldEnd, UsageStore, WalletLeaseWrite, WalletStore } from '../../core/ports.ts';
import type { UsageRecord } from '../../core/usage-record.ts';
import {
  chargeKey,
  endHold,
  type KeyItem,
  keyStateOf,
  placeHold,
  repairKey,
  settleCharge,
  takeCost,
  type WalletItem,
  walletOf,
  writeKey,
  writeWallet,
} from './items.ts';
import { type SimulatedProcess, UnknownOutcome } from './simulated-process.ts';
import type { Simulation } from './simulation.ts';

/** The number of times that a client sends a request that is safe to repeat. */
const TRIES = 3;

/** A hold is sent twice at most, each time as a new attempt. */
const HOLD_SENDS = 2;

/** A write of a lease as the database executed it. `before` and `after` are all shards of the wallet, or the key. */
export type ExecutedWrite =
  | {
      readonly side: 'wallet';
      readonly write: WalletLeaseWrite;
      readonly before: readonly WalletItem[];
      readonly after: readonly WalletItem[];
      readonly applied: boolean;
      /** Other shards were to give credit. */
      readonly across: boolean;
    }
  | {
      readonly side: 'key';
      readonly write: KeyLeaseWrite;
      readonly before: KeyItem;
      readonly after: KeyItem;
      readonly applied: boolean;
      readonly nowSeconds: number;
    };

export class SimulatedDatabase {
  /** The items of wallets, by shard. */
  readonly wallets = new Map<string, WalletItem>();
  readonly keys = new Map<string, KeyItem>();
  /** The usage records, by request id. */
  readonly records = new Map<string, UsageRecord>();
  /** Receives copies of the items before and after each write of a lease. */
  onWrite: ((executed: ExecutedWrite) => void) | undefined;
  /** Keys that a call with a hold was to charge. */
  readonly heldKeys = new Set<string>();
  /** Counts the write units of holds: one a write, two for each shard in a transaction. */
  holdUnits = 0;

  shardsOf(accountId: string): readonly WalletItem[] {
    return [...this.wallets.values()].filter(({ walletId }) => accountOf(walletId) === accountId);
  }
}

const accountOf = (walletId: string): string => walletId.split('#')[0] ?? walletId;

export interface StoreOptions {
  readonly database: SimulatedDatabase;
  readonly process: SimulatedProcess;
  readonly simulation: Simulation;
  readonly faultRate: () => number;
}

export interface SimulatedStores {
  readonly wallets: WalletStore;
  readonly keys: KeyStore;
  readonly usage: UsageStore;
  readonly records: RecordStore;
}

export const createStores = (options: StoreOptions): SimulatedStores => ({
  wallets: createWallets(options),
  keys: createKeys(options),
  usage: createUsage(options),
  records: createRecordStore(options),
});

function createWallets({ database, process, simulation }: StoreOptions): WalletStore {
  const { wallets } = database;
  const send = <T>(operation: () => T, tries = TRIES) => process.send(operation, { tries });
  const read = async <T>(operation: () => T): Promise<T> => (await send(operation)).result;
  const accountWallet = (accountId: string) => {
    const shards = database.shardsOf(accountId);
    return shards.length === 0 ? undefined : walletOf(accountId, shards);
  };
  const drawShard = (accountId: string) => simulation.pick(database.shardsOf(accountId)).walletId;
  async function place(accountId: string, requested: Hold): Promise<boolean> {
    for (let sends = 1; ; sends += 1) {
      const hold = { ...requested, attempt: String(simulation.int(0, 1_000_000_000)) };
      const walletId = drawShard(accountId);
      const run = () => {
        database.holdUnits += 1;
        const item = wallets.get(walletId);
        return item !== undefined && placeHold(item, database.shardsOf(accountId), hold);
      };
      try {
        return (await send(run, 1)).result;
      } catch (failure) {
        if (sends === HOLD_SENDS || !(failure instanceof UnknownOutcome)) throw failure;
      }
    }
  }
  const end = (accountId: string, hold: HoldEnd) => () => {
    database.holdUnits += 1;
    const shards = database.shardsOf(accountId);
    return shards.some((item) => endHold(item, hold)) ? walletOf(accountId, shards).balance : undefined;
  };
  return {
    async hold(accountId, hold) {
      const granted = await place(accountId, hold);
      const wallet = accountWallet(accountId);
      return granted && wallet !== undefined ? { granted, wallet } : { granted: false, wallet };
    },
    endHold: (accountId, hold) => read(end(accountId, hold)),
    findHold: (accountId, { id }) =>
      read(() => database.shardsOf(accountId).flatMap(({ holds }) => holds.get(id) ?? [])[0]),
    // It is cached.
    balance: async (accountId) => accountWallet(accountId)?.balance ?? 0n,
    read: (accountId) => read(() => accountWallet(accountId)),
    drawShard,
    hasShards: (accountId) => database.shardsOf(accountId).length > 1,
    readShard: (walletId) =>
      read(() => {
        const item = wallets.get(walletId);
        return item && walletOf(accountOf(walletId), [item]);
      }),
    async writeLease(write) {
      const { walletId } = write;
      const accountId = accountOf(walletId);
      const run = () => {
        const item = wallets.get(walletId);
        const shards = database.shardsOf(accountId);
        const before = database.onWrite && structuredClone(shards);
        const isShort = item !== undefined && item.balance < write.change;
        const applied = item !== undefined && writeWallet(item, shards, write);
        if (before !== undefined)
          database.onWrite?.({
            side: 'wallet',
            write,
            before,
            after: structuredClone(shards),
            applied,
            across: isShort && shards.length > 1,
          });
        const found = item && walletOf(accountId, [item]);
        if (applied || !isShort || found === undefined) return { applied, item: found };
        return { applied, item: { ...found, balance: walletOf(accountId, shards).balance } };
      };
      const { result, copies } = await send(run, write.from === undefined ? 1 : TRIES);
      return { ...result, copies };
    },
  };
}

function createKeys({ database, process }: StoreOptions): KeyStore {
  const { keys } = database;
  const nowSeconds = () => Math.floor(process.clock() / 1000);
  const stateOf = (keyId: string, windows: Windows) => {
    const item = keys.get(keyId);
    return item && keyStateOf(item, windows);
  };
  /** Counts a write of a hold. */
  const write =
    <T>(keyId: string, run: (item: KeyItem) => T) =>
    () => {
      database.holdUnits += 1;
      const item = keys.get(keyId);
      return item && run(item);
    };
  return {
    async charge(charge) {
      const { keyId } = charge.key;
      database.heldKeys.add(keyId);
      const now = nowSeconds();
      const run = write(keyId, (item) => ({
        granted: chargeKey(item, charge, now),
        state: keyStateOf(item, charge.windows),
      }));
      return (await process.send(run, { tries: TRIES })).result ?? { granted: false, state: undefined };
    },
    async settle(keyId, end) {
      const current = windowsAt(process.clock());
      const run = write(keyId, (item) => settleCharge(item, end, current));
      if ((await process.send(run, { tries: 1 })).result === true || end.cost === 0n) return;
      const now = nowSeconds();
      const cost = write(keyId, (item) => takeCost(item, end.cost, windowsAt(process.clock()), now));
      await process.send(cost, { tries: TRIES });
    },
    async repair(from, windows, left) {
      const run = write(from.keyId, (item) => repairKey(item, from, windows, left));
      return (await process.send(run, { tries: TRIES })).result === true;
    },
    async read(keyId, windows = windowsAt(process.clock())) {
      return (await process.send(() => stateOf(keyId, windows), { tries: TRIES })).result;
    },
    async writeLease(request) {
      const { keyId, windows, from } = request;
      const now = nowSeconds();
      const run = () => {
        const item = keys.get(keyId);
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
        return { applied, item: stateOf(keyId, windows) };
      };
      const { result, copies } = await process.send(run, { tries: from === undefined ? 1 : TRIES });
      return { ...result, copies };
    },
  };
}

function createUsage({ database, process }: StoreOptions): UsageStore {
  const { records } = database;
  let writes = 0;
  return {
    async put(record) {
      // Distinguishes a repetition of this write from another process's write.
      writes += 1;
      const own = { ...record, writeId: `${process.name} ${writes}` };
      const run = () => {
        const found = records.get(record.id);
        if (found === undefined) records.set(record.id, own);
        return found === undefined || found === own ? ('written' as const) : found;
      };
      return (await process.send(run, { tries: TRIES })).result;
    },
    async get(_keyId, requestId) {
      return (await process.send(() => records.get(requestId), { tries: TRIES })).result;
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

function createRecordStore({ database, process, simulation, faultRate }: StoreOptions): RecordStore {
  const { records } = database;
  return {
    async putAll(batch, fenceMs) {
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
  };
}
