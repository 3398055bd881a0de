/**
 * Recovery of holds whose call died: settled from the call's usage record if it has one, else released. Release
 * writes a record of its own first, so that a call thought dead that comes back finds its case decided.
 */
import { windowsAt } from '../access/windows.ts';
import type { Clock, Log } from '../ports.ts';
import type { Hold, KeyStore, UsageStore, Wallet, WalletStore } from './ports.ts';
import { type UsageRecord, unitOf } from './usage-record.ts';

export interface RecoveryCount {
  /** Holds ended at the cost their usage record tells. */
  readonly settled: number;
  /** Holds ended at no cost. */
  readonly released: number;
}

interface RecoveryDependencies {
  readonly keys: KeyStore;
  readonly wallets: WalletStore;
  readonly usage: UsageStore;
  readonly clock: Clock;
  readonly log: Log;
}

export class Recovery {
  readonly #dependencies: RecoveryDependencies;

  constructor(dependencies: RecoveryDependencies) {
    this.#dependencies = dependencies;
  }

  /** Ends every expired hold of the wallet, as it was read; safe to repeat and to race. */
  async recoverWallet(wallet: Wallet): Promise<RecoveryCount> {
    const nowSeconds = this.#dependencies.clock() / 1000;
    const expired = wallet.holds.filter((hold) => hold.expires <= nowSeconds);
    let settled = 0;
    let released = 0;
    for (const hold of expired) {
      const result = await this.#recoverHold(wallet.accountId, hold);
      if (result === 'settled') settled += 1;
      if (result === 'released') released += 1;
    }
    return { settled, released };
  }

  /** The same after a call that met expired holds; a failure is logged and left to the next touch. */
  async recoverQuietly(wallet: Wallet): Promise<void> {
    try {
      await this.recoverWallet(wallet);
    } catch (failure) {
      this.#dependencies.log.warn('recovery failed', {
        accountId: wallet.accountId,
        failure: String(failure),
      });
    }
  }

  async #recoverHold(accountId: string, hold: Hold): Promise<'settled' | 'released' | 'gone'> {
    const { usage, wallets, keys, clock } = this.#dependencies;
    const record = expiredRecord(accountId, hold, Math.floor(clock() / 1000));
    const written = await usage.put(record);
    const cost = written === 'written' ? 0n : written.cost;
    const balance = await wallets.endHold(accountId, { ...hold, cost });
    if (balance === undefined) return 'gone';
    if (written !== 'written' && written.status !== 'expired') return 'settled';
    if (written === 'written') {
      await keys.correct({
        keyId: hold.keyId,
        windows: windowsAt(hold.created * 1000),
        tokens: 0,
        amount: hold.amount,
      });
    }
    return 'released';
  }
}

function expiredRecord(accountId: string, hold: Hold, created: number): UsageRecord {
  return {
    id: hold.id,
    keyId: hold.keyId,
    accountId,
    created,
    model: null,
    kind: hold.kind,
    inputUnits: 0,
    cachedUnits: 0,
    outputUnits: 0,
    unit: unitOf(hold.kind),
    cost: 0n,
    writtenOff: 0n,
    estimated: false,
    route: null,
    status: 'expired',
  };
}
