/** Opening accounts, making keys and crediting top-ups. */
import { formatKey, hashSecret, type Peppers } from '../access/api-key.ts';
import type { KeyState } from '../access/key-state.ts';
import type { Policy } from '../access/policy.ts';
import type { NanoUsd } from '../money.ts';
import type { Clock, UlidSource } from '../ports.ts';

export type NewKey = Pick<KeyState, 'keyId' | 'accountId' | 'secretHash' | 'name' | 'policy' | 'created'>;

export interface TopUp {
  readonly accountId: string;
  /** Names the payment: the same id again credits nothing. */
  readonly id: string;
  readonly amount: NanoUsd;
  /** Seconds since the epoch. */
  readonly created: number;
  /** What paid, for example `grant`. */
  readonly source: string;
}

export interface AccountStore {
  /**
   * Puts a policy in force for the next call. What was used of each window stays used: the new cap less the spend is
   * left. Throws when there is no such key.
   */
  setPolicy(keyId: string, policy: Policy): Promise<void>;
  /** Puts the key in or out of force for the next call. Throws when there is no such key. */
  setStatus(keyId: string, status: KeyState['status']): Promise<void>;
  /** Opens an account with an empty wallet. */
  open(account: { readonly id: string; readonly email?: string; readonly created: number }): Promise<void>;
  addKey(key: NewKey): Promise<void>;
  /** Credits the wallet exactly once per id; throws when the account does not exist. */
  topUp(entry: TopUp): Promise<'credited' | 'repeated'>;
}

export interface AccountDependencies {
  readonly store: AccountStore;
  readonly clock: Clock;
  readonly ulid: UlidSource;
  /** Hex of so many random bytes. */
  readonly randomHex: () => string;
}

/** A top-up beyond this is a mistake in units. */
export const MAX_TOP_UP: NanoUsd = 1_000_000n * 1_000_000_000n;

export class Accounts {
  readonly #dependencies: AccountDependencies;

  constructor(dependencies: AccountDependencies) {
    this.#dependencies = dependencies;
  }

  /** Returns the new account's id. */
  async open(email?: string): Promise<string> {
    const { store, ulid } = this.#dependencies;
    const id = `acc_${ulid()}`;
    await store.open({ id, created: this.#now(), ...(email === undefined ? {} : { email }) });
    return id;
  }

  /** Makes a key; the text returned is the only copy there will ever be. */
  async createKey(request: {
    readonly accountId: string;
    readonly name: string;
    readonly policy: Policy;
    readonly peppers: Peppers;
  }): Promise<{ readonly keyId: string; readonly key: string }> {
    const { store, ulid, randomHex } = this.#dependencies;
    const { accountId, name, policy, peppers } = request;
    const keyId = `key_${ulid()}`;
    const secret = randomHex();
    await store.addKey({
      keyId,
      accountId,
      secretHash: hashSecret(secret),
      name,
      policy,
      created: this.#now(),
    });
    return { keyId, key: formatKey({ accountId, keyId, secret }, peppers) };
  }

  /** Credits a top-up. Throws when the amount is not positive or absurd. */
  async topUp(request: {
    readonly accountId: string;
    readonly amount: NanoUsd;
    readonly source: string;
    readonly id?: string;
  }): Promise<'credited' | 'repeated'> {
    const { store, ulid } = this.#dependencies;
    const { accountId, amount, source, id = ulid() } = request;
    if (amount <= 0n || amount > MAX_TOP_UP)
      throw new Error('amount must be more than 0 and at most 1000000 USD');
    return store.topUp({ accountId, id, amount, created: this.#now(), source });
  }

  #now(): number {
    return Math.floor(this.#dependencies.clock() / 1000);
  }
}
