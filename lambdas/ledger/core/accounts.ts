/** Opening accounts and crediting top-ups. */
import * as z from 'zod';
import { type Body, idOf, seconds } from '../../platform/core/api/response-schema.ts';
import type { NanoUsd } from '../../platform/core/money.ts';
import { optimistically } from '../../platform/core/optimistic.ts';
import type { Clock, UlidSource } from '../../platform/core/ports.ts';

export interface Account {
  /** `acc_<ulid>`. */
  readonly id: string;
  readonly email?: string;
  /** Seconds since the epoch. */
  readonly created: number;
  /** Since when it may sign in as an operator, seconds since the epoch; absent: it may not. */
  readonly operatorSince?: number;
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
  /** Has an identity stand for an account; one that stands for an account already is left as it is. */
  bind(identity: string, accountId: string): Promise<void>;
  /** The account that an identity opened. */
  findByIdentity(identity: string): Promise<Account | undefined>;
  find(accountId: string): Promise<Account | undefined>;
  /** Credits the wallet exactly once per id; throws when the account does not exist. */
  topUp(entry: TopUp): Promise<'credited' | 'repeated'>;
  /**
   * Takes credit back as a refund exactly once per id; what is not there is owed. Throws when the account does not
   * exist.
   */
  takeBack(entry: TopUp): Promise<'taken' | 'repeated'>;
}

/** An entry to be made; without an id it is a new one. */
export type EntryRequest = Pick<TopUp, 'accountId' | 'amount' | 'source'> & Partial<Pick<TopUp, 'id'>>;

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

  /** The account of an identity, which has opened one; undefined for one that is new here. */
  find(identity: string): Promise<Account | undefined> {
    return this.#dependencies.store.findByIdentity(identity);
  }

  /** Has an identity sign in to an account that exists, unless it has one. */
  bind(identity: string, accountId: string): Promise<void> {
    return this.#dependencies.store.bind(identity, accountId);
  }

  /** Credits a top-up. Throws when the amount is not positive or absurd. */
  async topUp(request: EntryRequest): ReturnType<AccountStore['topUp']> {
    return this.#dependencies.store.topUp(this.#entry(request));
  }

  /** Takes credit back, as a refund in the books. Throws when the amount is not positive or absurd. */
  async takeBack(request: EntryRequest): ReturnType<AccountStore['takeBack']> {
    return this.#dependencies.store.takeBack(this.#entry(request));
  }

  #entry({ accountId, amount, source, id = this.#dependencies.ulid() }: EntryRequest): TopUp {
    if (amount <= 0n || amount > MAX_TOP_UP)
      throw new Error('amount must be more than 0 and at most 1000000 USD');
    return { accountId, id, amount, created: this.#now(), source };
  }

  #newAccount(email: string | undefined): Account {
    const id = `acc_${this.#dependencies.ulid()}`;
    return { id, created: this.#now(), ...(email === undefined ? {} : { email }) };
  }

  #now(): number {
    return Math.floor(this.#dependencies.clock() / 1000);
  }
}
