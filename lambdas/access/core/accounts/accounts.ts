/** Accounts, and the identities that sign in to them. */
import * as z from 'zod';
import { type Body, idOf, seconds } from '../../../platform/core/api/response-schema.ts';
import { retryOptimistically } from '../../../platform/core/optimistic.ts';
import type { Clock, UlidSource } from '../../../platform/core/ports.ts';

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

/** Returns the public entry of an account, for its owner. */
export const accountEntry = ({ id, email, created }: Account): Body<typeof accountSchema> => ({
  id,
  object: 'account',
  email: email ?? null,
  created,
});

export interface AccountStore {
  /**
   * Opens an account with an empty wallet. For an identity that has opened one already, nothing changes; returns
   * whether it was opened.
   */
  open(account: Account, identity?: string): Promise<boolean>;
  /** Binds an identity to an account. An identity that is already bound stays unchanged. */
  bind(identity: string, accountId: string): Promise<void>;
  /** The account that an identity opened. */
  findByIdentity(identity: string): Promise<Account | undefined>;
  find(accountId: string): Promise<Account | undefined>;
}

export interface AccountDependencies {
  readonly store: AccountStore;
  readonly clock: Clock;
  readonly ulid: UlidSource;
}

/**
 * A second attempt reads the account that a concurrent request has opened. A third is for an attempt that stopped
 * midway.
 */
const MAX_OPEN_ATTEMPTS = 4;

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

  /**
   * Returns the account of an identity, and opens it on the first sign-in. Concurrent calls open exactly one account.
   */
  async openFor(identity: string, email?: string): Promise<Account> {
    const { store } = this.#dependencies;
    return retryOptimistically(MAX_OPEN_ATTEMPTS, 'this account', async () => {
      const existing = await store.findByIdentity(identity);
      if (existing !== undefined) return existing;
      const account = this.#newAccount(email);
      return (await store.open(account, identity)) ? account : undefined;
    });
  }

  /** The account of an identity, which has opened one; undefined for one that is new here. */
  findByIdentity(identity: string): Promise<Account | undefined> {
    return this.#dependencies.store.findByIdentity(identity);
  }

  /** Has an identity sign in to an account that exists, unless it has one. */
  bind(identity: string, accountId: string): Promise<void> {
    return this.#dependencies.store.bind(identity, accountId);
  }

  #newAccount(email: string | undefined): Account {
    const id = `acc_${this.#dependencies.ulid()}`;
    return { id, created: this.#now(), ...(email === undefined ? {} : { email }) };
  }

  #now(): number {
    return Math.floor(this.#dependencies.clock() / 1000);
  }
}
