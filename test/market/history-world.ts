/** The parties, the services and the workers of one history, and the verification of the laws. */
import { SILENT } from '../../lambdas/ledger/testing/running-ledger.ts';
import { connectAccount } from '../../lambdas/marketplace/core/payouts/account.ts';
import type { PayoutProvider } from '../../lambdas/marketplace/core/payouts/ports.ts';
import { createPayoutStore } from '../../lambdas/marketplace/store/create-payouts.ts';
import type { DynamoPayoutStore } from '../../lambdas/marketplace/store/payouts/payout-store.ts';
import { MarketCalls } from '../../lambdas/marketplace/testing/market-calls.ts';
import {
  type ListedThing,
  type MarketDatabase,
  MarketWorld,
} from '../../lambdas/marketplace/testing/market-world.ts';
import type { DynamoClients } from '../../lambdas/platform/aws/clients.ts';
import { ServiceError } from '../../lambdas/platform/core/errors.ts';
import type { Log } from '../../lambdas/platform/core/ports.ts';
import { CashLaws } from './cash-laws.ts';
import { type HistoryBucket, startBucket } from './history-bucket.ts';
import { type HistoryProvider, startProvider } from './history-provider.ts';
import { type HistoryWorker, Interleaving } from './interleaving.ts';
import { brokenLaws, MaturityLaws } from './market-laws.ts';
import { MarketReading, type MarketState } from './market-state.ts';

/** Changes the product, as an error in it would. */
export interface MarketMutation {
  readonly what: string;
  readonly keyOf?: (key: string) => string;
  readonly provider?: (provider: PayoutProvider) => PayoutProvider;
  readonly store?: (store: DynamoPayoutStore) => DynamoPayoutStore;
  /** The clients of the schedule that processes what is due. */
  readonly due?: (clients: DynamoClients) => DynamoClients;
  /** Granted credit counts as money. */
  readonly grantsMoney?: true;
}

export interface HistoryOptions {
  readonly database: MarketDatabase;
  /** Numbers in [0, 1). */
  readonly draw: () => number;
  readonly mutation?: MarketMutation | undefined;
}

interface Seller {
  readonly id: string;
  readonly providerId: string;
  readonly listings: readonly ListedThing[];
  /** It has plans, and builds. */
  readonly subscribed: ListedThing;
}

export const PLANS = [
  { id: 'basic', name: 'Basic', interval: 'month', amount: 300, currency: 'USD' },
  { id: 'pro', name: 'Pro', interval: 'month', amount: 900, currency: 'USD' },
  { id: 'trial', name: 'Trial', interval: 'month', amount: 300, currency: 'USD', trial_days: 14 },
];
const PRICES = [8_000, 4_000, 1_999, 1];
const NOTHING: MarketMutation = { what: 'nothing' };

export class HistoryWorld {
  readonly options: HistoryOptions;
  readonly mutation: MarketMutation;
  readonly world: MarketWorld;
  readonly calls: MarketCalls;
  readonly interleaving: Interleaving;
  readonly provider: HistoryProvider;
  readonly bucket: HistoryBucket;
  readonly sellers: Seller[] = [];
  readonly accounts: string[] = [];
  /** Orders by which credit was granted, in a broken history. */
  readonly granted = new Set<string>();
  readonly counts: Record<string, number> = {};
  readonly #reading: MarketReading;
  readonly #maturity = new MaturityLaws();
  readonly #cash = new CashLaws();
  #state: MarketState | undefined;
  #movements = 0;
  #failure: string | undefined;

  private constructor(
    options: HistoryOptions,
    world: MarketWorld,
    { provider, bucket }: { readonly provider: HistoryProvider; readonly bucket: HistoryBucket },
  ) {
    this.options = options;
    this.bucket = bucket;
    this.mutation = options.mutation ?? NOTHING;
    this.world = world;
    this.calls = new MarketCalls(options.database, world);
    this.provider = provider;
    this.#reading = new MarketReading(options.database);
    this.interleaving = new Interleaving(options.database, {
      nowSeconds: () => world.nowSeconds,
      onWrite: (tables) => this.#forget(tables),
    });
  }

  static async open(options: HistoryOptions): Promise<HistoryWorld> {
    const world = new MarketWorld(options.database, options.draw);
    const provider = await startProvider(() => world.nowSeconds * 1000);
    const history = new HistoryWorld(options, world, { provider, bucket: await startBucket() });
    await history.#setUp();
    return history;
  }

  async close(): Promise<void> {
    await this.provider.stop();
    await this.bucket.stop();
    await this.#reading.clear();
  }

  /** Two sellers with matured sales and accounts for payouts, and three buyers. */
  async #setUp(): Promise<void> {
    const { world } = this;
    const buyers: string[] = [];
    for (let count = 0; count < 3; count += 1) buyers.push(await world.open());
    const [first = ''] = buyers;
    await world.pay(first, 20_000);
    for (let count = 0; count < 2; count += 1) {
      const id = await world.open();
      const listings: ListedThing[] = [];
      for (const price of PRICES) listings.push(await world.list(id, price));
      const subscribed = await world.offer(id, PLANS);
      await world.buy(first, listings[0] ?? subscribed);
      const { providerId } = await connectAccount(this.payoutSystem(), id, { country: 'DE' });
      this.provider.sandbox.accounts.account(providerId).state = 'active';
      this.sellers.push({ id, providerId, listings, subscribed });
    }
    world.day += 15;
    await world.processDue();
    await createPayoutStore(this.#payoutOptions()).setReconciled();
    this.accounts.push(...buyers, ...this.sellers.map(({ id }) => id));
    for (const id of this.accounts) await this.calls.openKey(id);
  }

  #payoutOptions(clients: DynamoClients = this.options.database) {
    return { clients, environment: this.options.database.environment };
  }

  /** Returns the dependencies of payouts, for a worker or for the history itself. */
  payoutSystem(worker?: HistoryWorker) {
    const { provider, store, keyOf } = this.mutation;
    const plain = createPayoutStore(this.#payoutOptions(worker?.clients));
    const sent = worker === undefined ? this.provider.payouts : this.provider.of(worker, keyOf);
    return {
      clock: () => this.world.nowSeconds * 1000,
      ulid: this.world.ulid,
      log: this.log,
      maturitySeconds: 7 * 86_400,
      store: store?.(plain) ?? plain,
      provider: provider?.(sent) ?? sent,
    };
  }

  /** The log of the schedule: a failure that no fault of the history explains ends the history. */
  readonly log: Log = {
    ...SILENT,
    error: (message, { failure = '' } = {}) => {
      if (failure !== '' && !/TimeoutError|ServiceError|no response/.test(String(failure)))
        this.#failure ??= `${message}: ${failure}`;
    },
  };

  async start(kind: string, run: (worker: HistoryWorker) => Promise<unknown>): Promise<void> {
    const done = async (worker: HistoryWorker) => {
      await run(worker);
      this.count(kind);
    };
    await this.interleaving.start(done, (failure) => {
      if (failure instanceof ServiceError || (failure as Error).name === 'TimeoutError') return;
      this.#failure ??= `${kind}: ${(failure as Error).stack}`;
    });
  }

  count(kind: string, more = 1): void {
    this.counts[kind] = (this.counts[kind] ?? 0) + more;
  }

  #forget(tables: readonly string[]): void {
    for (const table of tables) this.#reading.forget(table);
    this.#state = undefined;
  }

  /** Reads everything, also what the history has written itself. */
  async reread(): Promise<MarketState> {
    this.#forget(Object.values(this.options.database.tables));
    return this.state();
  }

  async state(): Promise<MarketState> {
    this.#state ??= await this.#reading.read();
    return this.#state;
  }

  /** Returns a law that does not hold after the last step. */
  async verify(): Promise<string | undefined> {
    if (this.#failure !== undefined) return this.#failure;
    const { transfers, payouts } = this.provider.sandbox.accounts;
    const movements = transfers.length + payouts.length;
    if (this.#state !== undefined && movements === this.#movements) return undefined;
    this.#movements = movements;
    const state = await this.state();
    const worker = this.interleaving.last;
    const [broken] = [
      ...brokenLaws(state, { transfers, payouts }),
      ...this.#maturity.broken(state, {
        worker,
        sequence: this.interleaving.sequence,
        granted: this.granted,
      }),
      ...this.#cash.broken(state),
    ];
    return broken;
  }

  pick<T>(values: readonly T[]): T | undefined {
    return values[Math.floor(this.options.draw() * values.length)];
  }

  /** Lets time pass, and late effects come. The sweep ends the calls whose process died. */
  async pass(seconds: number): Promise<void> {
    this.world.day += Math.ceil(seconds) / 86_400;
    await this.interleaving.passTime();
    for (const id of this.accounts) await this.calls.recover(id);
    await this.reread();
  }
}
