/**
 * Recovery of holds whose call died: settled from the call's usage record if it has one, else released. A release first
 * writes its own record, which decides the case before a late settlement of a call that was considered dead.
 */
import type { Clock, Log } from '../../platform/core/ports.ts';
import type { LeaseRecovery } from './leases/recovery.ts';
import {
  type Hold,
  isCallHold,
  type OpenHold,
  type UsageStore,
  type Wallet,
  type WalletStore,
} from './ports.ts';
import { type UsageRecord, unitOf } from './usage-record.ts';

export interface RecoveryCount {
  /** Holds ended at the cost in their usage record. */
  readonly settled: number;
  /** Holds ended at no cost. */
  readonly released: number;
}

export interface ExpiredHold {
  readonly accountId: string;
  readonly holds: readonly OpenHold[];
}

interface RecoveryDependencies {
  readonly wallets: WalletStore;
  readonly usage: UsageStore;
  /** Absent in processes that leave expired leases to the sweep. */
  readonly leases?: (() => Pick<LeaseRecovery, 'recover'> | undefined) | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/** Each takes three database calls, which the caller of the call that met it waits for. */
const MAX_PER_TOUCH = 2;

export class Recovery {
  readonly #dependencies: RecoveryDependencies;

  constructor(dependencies: RecoveryDependencies) {
    this.#dependencies = dependencies;
  }

  /** The holds of a wallet that have expired by now. */
  expiredOf({ accountId, holds }: Pick<Wallet, 'accountId' | 'holds'>): ExpiredHold {
    const { clock, leases } = this.#dependencies;
    const nowSeconds = clock() / 1000;
    const isRecoverable = (hold: OpenHold) =>
      hold.expires <= nowSeconds && (isCallHold(hold) || leases?.() !== undefined);
    return { accountId, holds: holds.filter(isRecoverable) };
  }

  /** Ends every expired hold of the wallet, as it was read; safe to repeat and to race. */
  recoverWallet(wallet: Pick<Wallet, 'accountId' | 'holds'>): Promise<RecoveryCount> {
    return this.recover(this.expiredOf(wallet));
  }

  async recover({ accountId, holds }: ExpiredHold): Promise<RecoveryCount> {
    let settled = 0;
    let released = 0;
    for (const hold of holds) {
      if (!isCallHold(hold)) {
        if (await this.#dependencies.leases?.()?.recover(hold.walletId, hold.id, hold)) settled += 1;
        continue;
      }
      const record = await this.#decide(accountId, hold);
      // A late copy of a hold that was settled already is released: its call has paid.
      const isSameAttempt = record.attempt === hold.attempt;
      const balance = await this.#dependencies.wallets.endHold(accountId, {
        ...hold,
        cost: isSameAttempt ? record.cost : 0n,
        recorded: record.created,
      });
      if (balance === undefined) continue;
      if (record.status === 'expired') released += 1;
      else settled += 1;
    }
    return { settled, released };
  }

  /** Some of it, after a call that met expired holds; a failure is logged, and the rest left to the next touch. */
  async recoverQuietly({ accountId, holds }: ExpiredHold): Promise<void> {
    try {
      await this.recover({ accountId, holds: holds.slice(0, MAX_PER_TOUCH) });
    } catch (failure) {
      this.#dependencies.log.warn('recovery failed', { accountId, failure: String(failure) });
    }
  }

  /**
   * Returns the outcome of the call: its usage record, or else a new record with the status expired. The charge of an
   * expired call is missing from the caps of its key until they are repaired.
   */
  async #decide(accountId: string, hold: Hold): Promise<UsageRecord> {
    const { usage, clock } = this.#dependencies;
    const record = expiredRecord(accountId, hold, Math.floor(clock() / 1000));
    const written = await usage.put(record);
    return written === 'written' ? record : written;
  }
}

/** The account's wallet after its expired holds are recovered: they lock credit that is there. Throws when it has none. */
export async function currentWallet(
  { wallets, recovery }: { readonly wallets: WalletStore; readonly recovery: Recovery },
  accountId: string,
): Promise<Wallet> {
  const wallet = await wallets.read(accountId);
  if (wallet === undefined) throw new Error(`account ${accountId} has no wallet`);
  const { settled, released } = await recovery.recoverWallet(wallet);
  return settled + released === 0 ? wallet : ((await wallets.read(accountId)) ?? wallet);
}

function expiredRecord(accountId: string, hold: Hold, created: number): UsageRecord {
  return {
    id: hold.id,
    attempt: hold.attempt,
    keyId: hold.keyId,
    accountId,
    created,
    model: null,
    kind: hold.kind,
    inputUnits: 0,
    cachedUnits: 0,
    outputUnits: 0,
    heldAmount: hold.amount,
    unit: unitOf(hold.kind),
    cost: 0n,
    estimated: false,
    route: null,
    status: 'expired',
  };
}
