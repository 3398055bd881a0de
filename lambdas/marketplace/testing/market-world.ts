/** Buyers, sellers and their payments on a real database, with a clock of the test's own. */
import { DeleteItemCommand } from '@aws-sdk/client-dynamodb';
import { monotonicFactory } from 'ulid';
import type { TestDatabase } from '../../../tools/test-kit/engine.ts';
import { Accounts } from '../../access/core/accounts/accounts.ts';
import { DynamoAccountStore } from '../../access/store/accounts/account-store.ts';
import { auditAccount } from '../../ledger/core/audit/account.ts';
import { Credits } from '../../ledger/core/credits.ts';
import { createAuditStore } from '../../ledger/store/audit-reader.ts';
import { DynamoCreditStore } from '../../ledger/store/credit-store.ts';
import { WalletPostings } from '../../ledger/store/wallet/posting.ts';
import { createWalletStore } from '../../ledger/store/wallet/store.ts';
import { SILENT } from '../../ledger/testing/running-ledger.ts';
import type { PaymentFact } from '../../payments/core/order.ts';
import { applyEvent } from '../../payments/core/orders.ts';
import type { OrderReference } from '../../payments/core/ports.ts';
import { DynamoOrderStore } from '../../payments/store/order-store.ts';
import type { DynamoClients } from '../../platform/aws/clients.ts';
import { VARIABLES } from '../../platform/contract/environment.ts';
import { ServiceError } from '../../platform/core/errors.ts';
import { NANO_PER_CENT, type NanoUsd } from '../../platform/core/money.ts';
import type { Log } from '../../platform/core/ports.ts';
import { type DueResult, processDue } from '../core/due.ts';
import { refund, returnSale, transferEarnings } from '../core/earnings/postings.ts';
import { listingChange, newListing } from '../core/listings/fields.ts';
import { Listings } from '../core/listings/listings.ts';
import type { DuePayoutDependencies } from '../core/payouts/due.ts';
import { purchase } from '../core/purchases/purchases.ts';
import { subscribe } from '../core/subscriptions/subscriptions.ts';
import { createDueProcessing, type DueOfOthers, payoutLane } from '../store/create-due.ts';
import { createEarningsStore } from '../store/create-earnings.ts';
import { createSubscriptions } from '../store/create-subscriptions.ts';
import { createDueStore } from '../store/due-store.ts';
import { DynamoListingStore } from '../store/listings/listing-store.ts';
import { createEarningsCheck } from '../store/payouts/earnings-check.ts';
import { DynamoPurchaseStore } from '../store/purchases/purchase-store.ts';

export type MarketDatabase = Pick<TestDatabase, keyof DynamoClients | 'tables' | 'environment'>;

const DAY_SECONDS = 86_400;
export const FEE_BASIS_POINTS = 1_250;
const MATURITY_SECONDS = 7 * DAY_SECONDS;

export const cents = (count: number): NanoUsd => BigInt(count) * NANO_PER_CENT;

/** Returns the code of the error that an action ends with, or `done`. */
export const codeOf = (action: Promise<unknown>): Promise<string> =>
  action.then(
    () => 'done',
    (failure) => {
      if (failure instanceof ServiceError) return failure.code;
      throw failure;
    },
  );

export interface ListedThing {
  readonly kind: 'app';
  readonly id: string;
  readonly cents: number;
}

interface ShownPlan {
  readonly id: string;
  readonly amount: number;
}

export class MarketWorld {
  readonly #database: MarketDatabase;
  /** Days since the start of the world. */
  day = 0;

  /** `random` decides the ids; they are of the system's randomness if it is left out. */
  constructor(database: MarketDatabase, random?: () => number) {
    this.#database = database;
    this.#newUlid = monotonicFactory(random);
  }

  get nowSeconds(): number {
    return 1_800_000_000 + Math.floor(this.day * DAY_SECONDS);
  }

  readonly #clock = () => this.nowSeconds * 1000;

  readonly #newUlid: ReturnType<typeof monotonicFactory>;
  /** Ids of the world's time: what was sold since a time is found by them. */
  readonly ulid = () => this.#newUlid(this.nowSeconds * 1000);

  #system(clients: DynamoClients) {
    const { environment } = this.#database;
    return {
      clock: this.#clock,
      ulid: this.ulid,
      store: createEarningsStore({ clients, environment }),
    };
  }

  get earnings() {
    return this.#system(this.#database).store;
  }

  open(): Promise<string> {
    const { client, tables } = this.#database;
    const store = new DynamoAccountStore(client, tables);
    return new Accounts({ store, clock: this.#clock, ulid: this.ulid }).open();
  }

  async grant(accountId: string, cents: number): Promise<void> {
    const { client, tables } = this.#database;
    const store = new DynamoCreditStore(client, tables);
    const credits = new Credits({ store, clock: this.#clock, ulid: this.ulid });
    await credits.topUp({ accountId, amount: BigInt(cents) * NANO_PER_CENT, source: 'grant' });
  }

  /** Returns the id of a paid order. */
  async pay(accountId: string, cents: number): Promise<string> {
    const orderId = `ord_${this.ulid()}`;
    await this.receive({ accountId, orderId }, { kind: 'paid', amount: BigInt(cents) * NANO_PER_CENT });
    return orderId;
  }

  /** A refund or a dispute by the bank, or its end in the seller's favor (`undone`). */
  reverse(accountId: string, orderId: string, id: string, cents: number, undone = false): Promise<void> {
    const amount = BigInt(cents) * NANO_PER_CENT;
    return this.receive({ accountId, orderId }, { kind: 'reversal', id, amount, undone });
  }

  /** Applies an event of the payment provider about an order. */
  async receive(
    order: OrderReference,
    fact: PaymentFact,
    { client }: Pick<DynamoClients, 'client'> = this.#database,
  ): Promise<void> {
    const { tables } = this.#database;
    const postings = new WalletPostings(client, tables.wallets);
    const store = new DynamoOrderStore({ client, table: tables.accounts, postings, clock: this.#clock });
    await applyEvent({ store, log: SILENT }, { order, fact, created: this.nowSeconds });
  }

  async list(ownerId: string, cents: number): Promise<ListedThing> {
    const body = newListing.parse({
      name: `Thing ${this.ulid()}`,
      summary: 'One.',
      category: 'tools',
      price: { amount: cents, currency: 'USD' },
    });
    const { id } = await this.#listings(this.#database).create('app', ownerId, body);
    return { kind: 'app', id, cents };
  }

  /** A listing with plans of a subscription. */
  async offer(ownerId: string, plans: readonly unknown[]): Promise<ListedThing> {
    const fields = { name: `Thing ${this.ulid()}`, summary: 'One.', category: 'tools', plans };
    const { id } = await this.#listings(this.#database).create('app', ownerId, newListing.parse(fields));
    return { kind: 'app', id, cents: 0 };
  }

  changeListing(ownerId: string, { kind, id }: ListedThing, body: object) {
    const request = { kind, id, accountId: ownerId };
    return this.#listings(this.#database).change(request, listingChange.parse(body), () => true);
  }

  removeListing(ownerId: string, { kind, id }: ListedThing) {
    return this.#listings(this.#database).remove({ kind, id, accountId: ownerId }, () => true);
  }

  subscriptions(clients: DynamoClients = this.#database) {
    const { environment } = this.#database;
    const fee = { [VARIABLES.marketFeeBasisPoints]: String(FEE_BASIS_POINTS) };
    const options = {
      clients,
      environment: { ...environment, ...fee },
      clock: this.#clock,
      ulid: this.ulid,
    };
    return { ...createSubscriptions(options), listings: this.#listings(clients) };
  }

  async subscribe(accountId: string, { kind, id }: ListedThing, plan: ShownPlan, clients?: DynamoClients) {
    const agreement = { planId: plan.id, amount: plan.amount, state: undefined };
    return (await subscribe(this.subscriptions(clients), { kind, id, accountId }, agreement)).entry;
  }

  #listings({ client }: DynamoClients): Listings {
    const store = new DynamoListingStore(client, this.#database.tables.listings);
    return new Listings({ store, clock: this.#clock, ulid: this.ulid });
  }

  /** Returns the id of the charge. */
  async buy(
    accountId: string,
    { cents, ...listing }: ListedThing,
    clients: DynamoClients = this.#database,
  ): Promise<string> {
    const dependencies = {
      clock: this.#clock,
      ulid: this.ulid,
      store: new DynamoPurchaseStore(clients, this.#database.tables),
      listings: this.#listings(clients),
      terms: { feeBasisPoints: FEE_BASIS_POINTS, maturitySeconds: MATURITY_SECONDS },
    };
    const condition = { state: undefined, price: { amount: cents } };
    return (await purchase(dependencies, { ...listing, accountId }, condition)).entry.id;
  }

  refund(
    sellerId: string,
    { charge: chargeId, cents, key }: { charge: string; cents?: number; key?: string },
    clients: DynamoClients = this.#database,
  ) {
    const amount = cents === undefined ? undefined : BigInt(cents) * NANO_PER_CENT;
    return refund(this.#system(clients), { sellerId, key }, { chargeId, amount });
  }

  /** Returns all of a sale, as an operator does. */
  returnSale(sellerId: string, chargeId: string, clients: DynamoClients = this.#database) {
    const note = { by: 'operator', reason: 'nothing was delivered' };
    return returnSale(this.#system(clients), { sellerId, chargeId }, note);
  }

  transfer(
    sellerId: string,
    { amount, key }: { amount: bigint; key?: string },
    clients: DynamoClients = this.#database,
  ) {
    return transferEarnings(this.#system(clients), { sellerId, key }, amount);
  }

  processDue(
    clients: DynamoClients = this.#database,
    { log = SILENT, ...others }: DueOfOthers & { readonly log?: Log } = {},
  ): Promise<DueResult> {
    const { environment } = this.#database;
    const fee = { [VARIABLES.marketFeeBasisPoints]: String(FEE_BASIS_POINTS) };
    const system = { clock: this.#clock, ulid: this.ulid, log };
    const options = { clients, environment: { ...environment, ...fee }, ...system };
    return createDueProcessing(options, others)(Number.POSITIVE_INFINITY);
  }

  /** Takes the next step of the due payouts alone. */
  processPayouts(
    payouts: DuePayoutDependencies,
    clients: DynamoClients = this.#database,
  ): Promise<DueResult> {
    const store = createDueStore(clients.client, this.#database.tables.market);
    const stopMs = Number.POSITIVE_INFINITY;
    return processDue({ ...payouts, store, lanes: [payoutLane(payouts)], stopMs });
  }

  /** Removes an item of the market, as a restore to an earlier time does. */
  async remove(ownerId: string, item: string): Promise<void> {
    const { client, tables } = this.#database;
    const Key = { owner_id: { S: ownerId }, item: { S: item } };
    await client.send(new DeleteItemCommand({ TableName: tables.market, Key }));
  }

  sale(sellerId: string, chargeId: string) {
    return this.earnings.findSale({ sellerId, chargeId });
  }

  async wallet(accountId: string) {
    const wallet = await createWalletStore(this.#database, this.#database.tables.wallets).read(accountId);
    if (wallet === undefined) throw new Error('the account has no wallet');
    return { balance: wallet.balance, owed: wallet.debt };
  }

  /** Audits accounts as `audit --whole` does. Returns what is not exact. */
  async audit(...accountIds: readonly string[]): Promise<readonly string[]> {
    const { client, tables, environment } = this.#database;
    const store = createAuditStore(client, tables, createEarningsCheck({ client, environment }));
    const audits = accountIds.map(async (accountId) => {
      const audit = await auditAccount(store, accountId, { clock: this.#clock, includesRecords: true });
      return audit.verdict === 'exact' ? [] : [`${audit.verdict}: ${audit.failed ?? audit.reason}`];
    });
    return (await Promise.all(audits)).flat();
  }
}
