/** Top-ups of a wallet, and removals of credit. */
import type { NanoUsd } from '../../platform/core/money.ts';
import type { Clock, UlidSource } from '../../platform/core/ports.ts';
import type { EntryNote } from './ledger-entry.ts';

export interface TopUp {
  readonly accountId: string;
  /** Names the payment: the same id again credits nothing. */
  readonly id: string;
  readonly amount: NanoUsd;
  /** Seconds since the epoch. */
  readonly created: number;
  /** The source of the payment, for example `grant`. */
  readonly source: string;
  /** The person who made the entry by a command, and why. */
  readonly note?: EntryNote;
}

export interface CreditStore {
  /** Credits the wallet exactly once per id; throws when the account does not exist. */
  topUp(entry: TopUp): Promise<'credited' | 'repeated'>;
  /**
   * Removes free credit as a refund, exactly once per id: all of the amount, or nothing if the balance, which does not
   * have what is held, does not cover it. Throws if the account does not exist.
   */
  takeFree(entry: TopUp): Promise<'taken' | 'repeated' | 'not covered'>;
}

/** A ledger entry to create; without an id it is a new one. */
export type EntryRequest = Pick<TopUp, 'accountId' | 'amount' | 'source' | 'note'> &
  Partial<Pick<TopUp, 'id'>>;

export interface CreditDependencies {
  readonly store: CreditStore;
  readonly clock: Clock;
  readonly ulid: UlidSource;
}

/** A top-up beyond this is a mistake in units. */
export const MAX_TOP_UP: NanoUsd = 1_000_000n * 1_000_000_000n;

export class Credits {
  readonly #dependencies: CreditDependencies;

  constructor(dependencies: CreditDependencies) {
    this.#dependencies = dependencies;
  }

  /** Credits a top-up. Throws when the amount is not positive or absurd. */
  async topUp(request: EntryRequest): ReturnType<CreditStore['topUp']> {
    return this.#dependencies.store.topUp(this.#entry(request));
  }

  /** Removes free credit, as a refund in the ledger. Throws if the amount is not positive or is absurd. */
  async takeFree(request: EntryRequest): ReturnType<CreditStore['takeFree']> {
    return this.#dependencies.store.takeFree(this.#entry(request));
  }

  #entry({ id = this.#dependencies.ulid(), ...request }: EntryRequest): TopUp {
    if (request.amount <= 0n || request.amount > MAX_TOP_UP)
      throw new Error('amount must be more than 0 and at most 1000000 USD');
    return { ...request, id, created: Math.floor(this.#dependencies.clock() / 1000) };
  }
}
