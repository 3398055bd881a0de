/** Histories of payouts: workers that stall, overlap and die, a provider with faults, and a store in memory. */
import { monotonicFactory } from 'ulid';
import { SILENT } from '../../../ledger/testing/running-ledger.ts';
import { ServiceError } from '../../../platform/core/errors.ts';
import { NANO_PER_CENT } from '../../../platform/core/money.ts';
import { EMPTY_BALANCE, type SellerBalance } from '../../core/earnings/sale.ts';
import { advancePayout, type PayoutDependencies } from '../../core/payouts/advance.ts';
import { balanceChange, isOpenPayout, type Payout, type PayoutKey } from '../../core/payouts/payout.ts';
import type { PayoutEffects, PayoutProvider, PayoutStore } from '../../core/payouts/ports.ts';
import { cancelPayout, requestPayout } from '../../core/payouts/requests.ts';
import { type Fault, ModelProvider } from './model-provider.ts';

const SELLER = 'acc_seller';
/** A function runs for five minutes at most. */
const MAX_RUN_SECONDS = 300;

/** Changes what the workers use, as an error in the product would. */
export interface PayoutMutation {
  readonly what: string;
  readonly keyOf?: (key: string) => string;
  readonly provider?: (provider: PayoutProvider) => PayoutProvider;
  readonly store?: (store: PayoutStore) => PayoutStore;
}

export const UNCHANGED: PayoutMutation = { what: 'nothing' };

interface Waiting {
  readonly worker: number;
  readonly proceed: () => void;
}

export class PayoutModel {
  readonly #random: () => number;
  readonly #mutation: PayoutMutation;
  #now = 1_800_000_000;
  #waiting: Waiting[] = [];
  readonly #started = new Map<number, number>();
  #workers = 0;
  #current = 0;
  #isHealthy = false;
  readonly payouts = new Map<string, Payout>();
  readonly events: string[] = [];
  balance: SellerBalance = EMPTY_BALANCE;
  #openPayouts = 0;
  readonly provider: ModelProvider;
  readonly #newUlid = monotonicFactory();

  constructor(random: () => number, mutation: PayoutMutation) {
    this.#random = random;
    this.#mutation = mutation;
    this.provider = new ModelProvider({
      now: () => this.#now,
      fault: () => this.#fault(),
      turn: () => this.#turn(),
      keyOf: mutation.keyOf ?? ((key) => key),
    });
  }

  #fault(): Fault {
    if (this.#isHealthy || this.#random() < 0.6) return 'none';
    const faults: readonly Fault[] = ['lost before', 'lost after', 'late', 'stored 500', 'rate limit'];
    return faults[Math.floor(this.#random() * faults.length)] ?? 'none';
  }

  /** Waits until the history picks this call. */
  #turn(): Promise<void> {
    const worker = this.#current;
    return new Promise((resolve) => {
      this.#waiting.push({
        worker,
        proceed: () => {
          this.#current = worker;
          resolve();
        },
      });
    });
  }

  readonly #store: PayoutStore = {
    seller: async () => ({
      balance: this.balance,
      openPayouts: this.#openPayouts,
      paused: false,
      maturityDays: undefined,
    }),
    firstSale: async () => undefined,
    find: async ({ id }) => {
      await this.#turn();
      return this.payouts.get(id);
    },
    list: async () => ({ entries: [...this.payouts.values()], next: undefined }),
    create: async (payout) => {
      if (this.#openPayouts > 0 || this.balance.available < payout.amount) return false;
      this.payouts.set(payout.id, payout);
      this.#move(undefined, payout);
      this.#openPayouts += 1;
      return true;
    },
    change: async (before, after, effects) => {
      await this.#turn();
      return this.#change(before, after, effects);
    },
    findAccount: async (sellerId) => ({
      sellerId,
      providerId: 'acct_1',
      country: 'DE',
      schedule: 'manual',
      minimum: 1_000,
      dueAt: undefined,
    }),
    saveAccount: async () => true,
  };

  #change(before: Payout, after: Payout, { event }: PayoutEffects): boolean {
    if (this.payouts.get(before.id)?.version !== before.version) return false;
    if (event !== undefined && this.events.includes(event.id)) throw new Error('an event twice');
    this.payouts.set(after.id, after);
    this.#move(before, after);
    if (isOpenPayout(before) && !isOpenPayout(after)) this.#openPayouts -= 1;
    if (event !== undefined) this.events.push(event.id);
    return true;
  }

  #move(before: Payout | undefined, after: Payout): void {
    const change = balanceChange(before, after);
    const parts = Object.keys(EMPTY_BALANCE) as (keyof SellerBalance)[];
    this.balance = Object.fromEntries(
      parts.map((part) => [part, this.balance[part] + change[part]]),
    ) as unknown as SellerBalance;
  }

  get #dependencies(): PayoutDependencies {
    const { provider = (each) => each, store = (each) => each } = this.#mutation;
    return {
      store: store(this.#store),
      provider: provider(this.provider),
      clock: () => this.#now * 1000,
      ulid: () => this.#newUlid(this.#now * 1000),
      log: SILENT,
    };
  }

  /** Takes one step of the history. */
  async step(): Promise<void> {
    const pick = this.#random();
    if (pick < 0.05) this.#earn();
    else if (pick < 0.12) await this.#request();
    else if (pick < 0.14) await this.#cancel();
    else if (pick < 0.24) this.#work();
    else if (pick < 0.74) await this.#proceed();
    else if (pick < 0.86) this.#pass(this.#random() < 0.8 ? this.#random() * 200 : this.#random() * 100_000);
    else if (pick < 0.92) this.#settle();
    else if (pick < 0.98) this.#hint();
    else this.#change_provider();
  }

  #earn(): void {
    const amount = BigInt(1_000 + Math.floor(this.#random() * 5_000)) * NANO_PER_CENT;
    this.balance = {
      ...this.balance,
      available: this.balance.available + amount,
      received: this.balance.received + amount,
    };
  }

  async #request(): Promise<void> {
    await this.#expected(requestPayout({ ...this.#dependencies, maturitySeconds: 1 }, SELLER, undefined));
  }

  async #cancel(): Promise<void> {
    const key = this.#any();
    if (key === undefined) return;
    this.#start(() => cancelPayout(this.#dependencies, key));
    await flush();
  }

  #work(): void {
    const due = [...this.payouts.values()].filter(
      ({ dueAt = Number.POSITIVE_INFINITY }) => dueAt <= this.#now,
    );
    const payout = due[Math.floor(this.#random() * due.length)];
    if (payout !== undefined) this.#start(() => advancePayout(this.#dependencies, payout));
  }

  #start(run: () => Promise<unknown>): void {
    this.#workers += 1;
    this.#current = this.#workers;
    this.#started.set(this.#workers, this.#now);
    void this.#expected(run());
  }

  async #expected(run: Promise<unknown>): Promise<void> {
    await run.catch((failure: unknown) => {
      if (!(failure instanceof ServiceError)) this.failure ??= failure as Error;
    });
  }

  /** The failure of a worker that has another cause than the provider. */
  failure: Error | undefined;

  async #proceed(): Promise<void> {
    const at = Math.floor(this.#random() * this.#waiting.length);
    const [waiting] = this.#waiting.splice(at, 1);
    // A process may die at any call.
    if (waiting === undefined || (!this.#isHealthy && this.#random() < 0.01)) return;
    waiting.proceed();
    await flush();
  }

  #pass(seconds: number): void {
    this.#now += Math.ceil(seconds);
    this.provider.land();
    this.#waiting = this.#waiting.filter(
      ({ worker }) => this.#now - (this.#started.get(worker) ?? 0) < MAX_RUN_SECONDS,
    );
  }

  #settle(): void {
    const { payoutList } = this.provider;
    const payout = payoutList[Math.floor(this.#random() * payoutList.length)];
    if (payout === undefined) return;
    if (payout.status === 'pending') this.provider.settle(payout, this.#random() < 0.7 ? 'paid' : 'failed');
    else if (payout.status === 'paid' && this.#random() < 0.2) this.provider.settle(payout, 'failed');
  }

  /** An event of the provider: late, doubled, or about nothing new. */
  #hint(): void {
    const payout = this.#any();
    if (payout !== undefined) this.payouts.set(payout.id, { ...payout, dueAt: this.#now });
  }

  #change_provider(): void {
    const { provider } = this;
    const pick = this.#random();
    if (pick < 0.3) provider.hasBank = !provider.hasBank;
    else if (pick < 0.6) provider.status = provider.status === 'active' ? 'restricted' : 'active';
    else if (pick < 0.8) {
      const taken = provider.platformBalance > 0n ? provider.platformBalance : -10_000_000_000_000n;
      provider.platformBalance -= taken;
    }
  }

  #any(): (Payout & PayoutKey) | undefined {
    const all = [...this.payouts.values()];
    return all[Math.floor(this.#random() * all.length)];
  }

  /** Ends all faults, and lets everything come to its end. */
  async rest(): Promise<void> {
    this.#isHealthy = true;
    this.provider.hasBank = true;
    this.provider.status = 'active';
    this.provider.platformBalance = 10_000_000_000_000n;
    this.#waiting = [];
    for (let round = 0; round < 12; round += 1) {
      this.#pass(50_000);
      for (const payout of this.provider.payoutList)
        if (payout.status === 'pending') this.provider.settle(payout, 'paid');
      for (const payout of this.payouts.values()) {
        this.payouts.set(payout.id, { ...payout, dueAt: this.#now });
        this.#start(() => advancePayout(this.#dependencies, payout));
        for (let turns = 0; turns < 200 && this.#waiting.length > 0; turns += 1) await this.#proceed();
      }
    }
  }

  /** Returns the laws that do not hold. */
  broken(): readonly string[] {
    const { pending, available, inTransit, paidOut, transferred, received } = this.balance;
    const payouts = [...this.payouts.values()];
    const sum = (some: readonly { readonly amount: bigint }[]) =>
      some.reduce((total, { amount }) => total + amount, 0n);
    const laws: readonly (readonly [string, boolean])[] = [
      [
        'received is the sum of the parts',
        received === pending + available + inTransit + paidOut + transferred,
      ],
      ['no part is below 0', [pending, available, inTransit, paidOut].every((part) => part >= 0n)],
      [
        'in transit is the sum of its payouts',
        inTransit === sum(payouts.filter((each) => balanceChange(undefined, each).inTransit > 0n)),
      ],
      ['one payout is open', payouts.filter(isOpenPayout).length <= 1],
      ['a payout has one transfer', isUnique(this.provider.transferList)],
      ['a payout has one payout', isUnique(this.provider.payoutList)],
      [
        'what is available again is back on the platform',
        payouts.every(
          ({ id, returned }) =>
            !returned || this.provider.transferList.every(({ key, reversed }) => key.id !== id || reversed),
        ),
      ],
      ['no worker has failed', this.failure === undefined],
    ];
    return laws.flatMap(([law, holds]) => (holds ? [] : [law]));
  }

  /** Returns what is not settled at rest. */
  unsettled(): readonly string[] {
    const paid = this.provider.payoutList.filter(({ status }) => status === 'paid');
    const total = paid.reduce((sum, { amount }) => sum + amount, 0n);
    return [
      ...[...this.payouts.values()].flatMap(({ id, paidAt, end, returned }) =>
        returned || (paidAt !== undefined && end === undefined) ? [] : [id],
      ),
      ...(total === this.balance.paidOut ? [] : ['paid out is what the provider has paid']),
      ...(this.balance.inTransit === 0n ? [] : ['something is in transit']),
    ];
  }
}

const isUnique = (some: readonly { readonly key: PayoutKey }[]): boolean =>
  new Set(some.map(({ key }) => key.id)).size === some.length;

/** Lets everything run that waits for no turn. */
const flush = () => new Promise<void>((resolve) => setImmediate(resolve));
