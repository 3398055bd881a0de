/**
 * Recovery of holds whose call died: settled from the call's usage record if it has one, else released. Release
 * writes a record of its own first, so that a call thought dead that tries to settle late finds its case decided.
 */
import type { KeyState } from '../access/key-state.ts';
import { windowsAt } from '../access/windows.ts';
import type { Clock, Log } from '../ports.ts';
import { probationChange } from './exposure.ts';
import type { Hold, KeyStore, UsageStore, Wallet, WalletStore } from './ports.ts';
import { type UsageRecord, unitOf } from './usage-record.ts';

export interface RecoveryCount {
  /** Holds ended at the cost in their usage record. */
  readonly settled: number;
  /** Holds ended at no cost. */
  readonly released: number;
}

/** What is known of a call that never settled, from its hold or from its charge. */
type DeadCall = Pick<Hold, 'id' | 'attempt' | 'keyId' | 'kind' | 'amount' | 'created'>;

export interface Expired {
  readonly accountId: string;
  readonly holds: readonly Hold[];
  /** Charges whose hold is not among `holds`. */
  readonly charges: readonly (DeadCall & { readonly tokens: number })[];
}

interface RecoveryDependencies {
  readonly keys: KeyStore;
  readonly wallets: WalletStore;
  readonly usage: UsageStore;
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

  /** What of a wallet and a key has expired by now. */
  expiredOf(wallet: Pick<Wallet, 'accountId' | 'holds'>, key?: KeyState): Expired {
    const nowSeconds = this.#dependencies.clock() / 1000;
    const { accountId } = wallet;
    const holds = wallet.holds.filter(({ expires }) => expires <= nowSeconds);
    const charges = (key?.charges ?? [])
      .filter(({ id, expires }) => expires <= nowSeconds && !holds.some((hold) => hold.id === id))
      .map((charge) => ({ ...charge, keyId: key?.keyId ?? '' }));
    return { accountId, holds, charges };
  }

  /** Ends every expired hold of the wallet, as it was read; safe to repeat and to race. */
  recoverWallet(wallet: Wallet): Promise<RecoveryCount> {
    return this.recover(this.expiredOf(wallet));
  }

  /** Settles every expired charge of the key whose hold has ended without it. */
  async recoverKey(key: KeyState): Promise<void> {
    await this.recover(this.expiredOf({ accountId: key.accountId, holds: [] }, key));
  }

  async recover({ accountId, holds, charges }: Expired): Promise<RecoveryCount> {
    let settled = 0;
    let released = 0;
    for (const hold of holds) {
      const record = await this.#decide(accountId, hold);
      // A late copy of a hold that was settled already is released: its call has paid.
      const own = record.attempt === hold.attempt;
      const balance = await this.#dependencies.wallets.endHold(accountId, {
        ...hold,
        cost: own ? record.cost : 0n,
        // A hold may have grown since; what was written off shows that the call fell short all the same.
        fellShort: own && record.writtenOff > 0n,
        probation: own ? probationChange(record.cost + record.writtenOff, hold) : 0n,
      });
      await this.#settleCharge(hold, record);
      if (balance === undefined) continue;
      if (record.status === 'expired') released += 1;
      else settled += 1;
    }
    for (const charge of charges) await this.#settleCharge(charge, await this.#decide(accountId, charge));
    return { settled, released };
  }

  /** Some of it, after a call that met expired holds; a failure is logged, and the rest left to the next touch. */
  async recoverQuietly(expired: Expired): Promise<void> {
    try {
      const { holds, charges } = expired;
      await this.recover({
        ...expired,
        holds: holds.slice(0, MAX_PER_TOUCH),
        charges: charges.slice(0, MAX_PER_TOUCH),
      });
    } catch (failure) {
      const { accountId } = expired;
      this.#dependencies.log.warn('recovery failed', { accountId, failure: String(failure) });
    }
  }

  /** What the call came to: its own record, else one that says it has expired. */
  async #decide(accountId: string, dead: DeadCall): Promise<UsageRecord> {
    const { usage, clock } = this.#dependencies;
    const record = expiredRecord(accountId, dead, Math.floor(clock() / 1000));
    const written = await usage.put(record);
    return written === 'written' ? record : written;
  }

  async #settleCharge(dead: DeadCall & { readonly tokens?: number }, record: UsageRecord): Promise<void> {
    const tokens = record.unit === 'token' ? record.inputUnits + record.outputUnits : 0;
    await this.#dependencies.keys.settle(dead.keyId, {
      id: dead.id,
      windows: windowsAt(dead.created * 1000),
      // A hold does not know its tokens; by the time it has expired, their minute is over.
      taken: { tokens: dead.tokens ?? tokens, amount: dead.amount },
      used: { tokens, amount: record.cost + record.writtenOff },
    });
  }
}

function expiredRecord(accountId: string, hold: DeadCall, created: number): UsageRecord {
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
    unit: unitOf(hold.kind),
    cost: 0n,
    writtenOff: 0n,
    estimated: false,
    route: null,
    status: 'expired',
  };
}
