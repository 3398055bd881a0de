/** Opening accounts and crediting top-ups. */
import * as z from 'zod';
import { type Body, idOf, seconds } from '../api/response-schema.ts';
import type { NanoUsd } from '../money.ts';
import { optimistically } from '../optimistic.ts';
import type { Clock, UlidSource } from '../ports.ts';

export interface Account {
  /** `acc_<ulid>`. */
  readonly id: string;
  readonly email?: string;
  /** Seconds since the epoch. */
  readonly created: number;
}

export const accountSchema = z.object({
  id: idOf('acc'),
  object: z.literal('account'),
  email: z.string().nullable(),
  created: seconds,
});

/** An account as its owner sees it. */
export const accountEntry = ({ id, email, created }: Account): Body<typeof accountSchema> => ({
  id,
  object: 'account',
  email: email ?? null,
  created,
});

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
   * Opens an account with an empty wallet. For an identity that has opened one already, nothing changes; returns
   * whether it was opened.
   */
  open(account: Account, identity?: string): Promise<boolean>;
  /** The account that an identity opened. */
  findByIdentity(identity: string): Promise<Account | undefined>;
  find(accountId: string): Promise<Account | undefined>;
  /** Credits the wallet exactly once per id; throws when the account does not exist. */
  topUp(entry: TopUp): Promise<'credited' | 'repeated'>;
}

export interface AccountDependencies {
  readonly store: AccountStore;
  readonly clock: Clock;
  readonly ulid: UlidSource;
}

/** A top-up beyond this is a mistake in units. */
export const MAX_TOP_UP: NanoUsd = 1_000_000n * 1_000_000_000n;

/** A second try finds the account that another request has opened; a third is for one that gave up midway. */
const MAX_OPEN_TRIES = 4;

export class Accounts {
  readonly #dependencies: AccountDependencies;

  constructor(dependencies: AccountDependencies) {
    this.#dependencies = dependencies;
  }

  /** Returns the new account's id. */
  async open(email?: string): Promise<string> {
    const account = this.#newAccount(email);
    await this.#dependencies.store.open(account);
    return account.id;
  }

  /** The account of an identity, opened if this is the first time it is seen: exactly one, however many race. */
  async openFor(identity: string, email?: string): Promise<Account> {
    const { store } = this.#dependencies;
    return optimistically(MAX_OPEN_TRIES, 'this account', async () => {
      const known = await store.findByIdentity(identity);
      if (known !== undefined) return known;
      const account = this.#newAccount(email);
      return (await store.open(account, identity)) ? account : undefined;
    });
  }

  /** Credits a top-up. Throws when the amount is not positive or absurd. */
  async topUp(request: {
    readonly accountId: string;
    readonly amount: NanoUsd;
    readonly source: string;
    readonly id?: string;
  }): ReturnType<AccountStore['topUp']> {
    const { store, ulid } = this.#dependencies;
    const { accountId, amount, source, id = ulid() } = request;
    if (amount <= 0n || amount > MAX_TOP_UP)
      throw new Error('amount must be more than 0 and at most 1000000 USD');
    return store.topUp({ accountId, id, amount, created: this.#now(), source });
  }

  #newAccount(email: string | undefined): Account {
    const id = `acc_${this.#dependencies.ulid()}`;
    return { id, created: this.#now(), ...(email === undefined ? {} : { email }) };
  }

  #now(): number {
    return Math.floor(this.#dependencies.clock() / 1000);
  }
}
