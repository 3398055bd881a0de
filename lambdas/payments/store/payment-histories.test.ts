import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { startDatabase, type TestDatabase } from '../../../tools/test-kit/engine.ts';
import { it } from '../../../tools/test-kit/search.ts';
import { seedOf } from '../../../tools/test-kit/seed.ts';
import { rounds } from '../../../tools/test-kit/thorough.ts';
import { DynamoAccountStore } from '../../access/store/accounts/account-store.ts';
import { auditAccount } from '../../ledger/core/audit/account.ts';
import { NO_EARNINGS } from '../../ledger/core/audit/no-earnings.ts';
import type { RollupDependencies } from '../../ledger/core/usage/account-rollups.ts';
import { NO_PROGRESS } from '../../ledger/core/usage/ports.ts';
import { createAuditStore } from '../../ledger/store/audit-reader.ts';
import { createWalletStore } from '../../ledger/store/wallet/store.ts';
import { FAULTS, FailingProcess, type FaultPlan } from '../../ledger/testing/failing-process.ts';
import { SILENT } from '../../ledger/testing/running-ledger.ts';
import type { DynamoClients } from '../../platform/aws/clients.ts';
import { systemUlid } from '../../platform/system/system.ts';
import type { ListedFact, PaymentLists } from '../core/ports.ts';
import { receivePaymentEvent } from '../core/receive-event.ts';
import {
  type Reconciliation,
  type ReconciliationDependencies,
  reconcilePayments,
} from '../core/reconciliation.ts';
import {
  API_KEY,
  PaymentIntents,
  type SignedEvent,
  signedEvent,
  WEBHOOK_SECRET,
} from '../testing/stripe-events.ts';
import { createOrderStore } from './create-orders.ts';
import { StripePayments } from './stripe-payments.ts';

/** Lanes of fast-check, each with a separate seed, keep the database busy. */
const LANES = 10;
const HISTORIES_PER_LANE = rounds(6);

const NANO_PER_CENT = 10_000_000n;

const intents = new PaymentIntents();
let database: TestDatabase;
let stripe: StripePayments;

beforeAll(async () => {
  database = await startDatabase();
  stripe = new StripePayments({
    environment: {
      PAYMENT_SECRET: 'payments',
      PAYMENT_API_URL: await intents.start(),
      PAYMENT_RETURN_URL: 'https://example.com/',
    },
    readSecret: async (reference) => (reference.endsWith('#api_key') ? API_KEY : WEBHOOK_SECRET),
    clock: Date.now,
    log: SILENT,
  });
});
afterAll(async () => {
  await database.stop();
  await intents.stop();
});

/** One reversal of an order: its beginning and, perhaps, its undoing. */
interface ReversalPlan {
  readonly cents: number;
  readonly dispute: boolean;
  readonly undone: boolean;
}

interface OrderPlan {
  readonly cents: number;
  readonly paid: boolean;
  readonly expires: boolean;
  readonly reversals: readonly ReversalPlan[];
}

interface History {
  readonly orders: readonly OrderPlan[];
  /** The number of deliveries of each event, in turn; events of 0 are brought by the reconciliation alone. */
  readonly repeats: readonly number[];
  /** Reconciliations among the deliveries. */
  readonly reconciliations: number;
  /** Random numbers that order all steps. */
  readonly chances: readonly number[];
  /** Calls, which spend what is there. */
  readonly holds: readonly number[];
  /** The books are audited after every step, which takes its time. */
  readonly watched: boolean;
  /** Requests that hung in the network arrive before the provider delivers again, or after. */
  readonly lateLands: 'before' | 'after';
  /** The number of concurrent steps. */
  readonly together: number;
  readonly faults: readonly FaultPlan[];
}

const reversal: fc.Arbitrary<ReversalPlan> = fc.record({
  cents: fc.integer({ min: 1, max: 700 }),
  dispute: fc.boolean(),
  undone: fc.boolean(),
});

const order: fc.Arbitrary<OrderPlan> = fc.record({
  cents: fc.integer({ min: 50, max: 1_000 }),
  paid: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
  expires: fc.boolean(),
  reversals: fc.array(reversal, { maxLength: 2 }),
});

const faults: fc.Arbitrary<FaultPlan> = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 6 }), fc.constantFrom(...FAULTS)), { maxLength: 2 })
  .map((pairs) => new Map(pairs));

const history: fc.Arbitrary<History> = fc.record({
  orders: fc.oneof(
    { weight: 3, arbitrary: fc.tuple(order) },
    { weight: 1, arbitrary: fc.tuple(order, order) },
  ),
  repeats: fc.array(fc.constantFrom(0, 1, 1, 1, 2, 3), { minLength: 4, maxLength: 4 }),
  reconciliations: fc.integer({ min: 0, max: 2 }),
  chances: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 30, maxLength: 30 }),
  holds: fc.array(fc.integer({ min: 1, max: 900 }), { maxLength: 2 }),
  watched: fc.integer({ min: 0, max: 9 }).map((chance) => chance === 0),
  lateLands: fc.constantFrom('before', 'after'),
  together: fc.constantFrom(1, 1, 2, 4),
  faults: fc.array(faults, { minLength: 1, maxLength: 3 }),
});

const endpointOf = (clients: DynamoClients) =>
  receivePaymentEvent({
    providers: { stripe },
    store: createOrderStore({ clients, environment: database.environment }),
    hintPayout: async () => false,
    onCredited: () => {},
    onRejected: () => {},
    onMissed: () => {},
    onFailed: () => {},
  });

/** The lists of a provider at which everything has happened that its events report. */
const listsOf = (played: readonly PlayedOrder[], accountId: string): PaymentLists => ({
  isConfigured: async () => true,
  async *list(name) {
    const created = Math.floor(Date.now() / 1000);
    yield played.flatMap(({ orderId, plan }): readonly ListedFact[] => {
      const order = { orderId, accountId };
      if (name === 'payments') {
        const fact = { kind: 'paid' as const, amount: BigInt(plan.cents) * NANO_PER_CENT };
        return plan.paid ? [{ id: `cs_${orderId}`, order, fact, created }] : [];
      }
      return plan.reversals.flatMap(({ cents, dispute, undone }, index) => {
        if (dispute !== (name === 'disputes')) return [];
        const id = reversalId(orderId, dispute, index);
        const fact = { kind: 'reversal' as const, id, amount: BigInt(cents) * NANO_PER_CENT, undone };
        return [{ id, order, fact, created }];
      });
    });
  },
});

const reversalId = (orderId: string, dispute: boolean, index: number): string =>
  `${dispute ? 'dp' : 're'}_${orderId}_${index}`;

/** Reconciles in a process that may fail; undefined if it failed. */
async function reconcile(lists: PaymentLists, clients: DynamoClients): Promise<Reconciliation | undefined> {
  const dependencies: ReconciliationDependencies = {
    lists,
    store: createOrderStore({ clients, environment: database.environment }),
    onApplied: () => {},
    wait: async () => {},
    clock: Date.now,
    log: SILENT,
  };
  return orPlanned(reconcilePayments(dependencies));
}

/** Undefined for a failure that was planned; every other is thrown. */
async function orPlanned<T>(outcome: Promise<T>): Promise<T | undefined> {
  try {
    return await outcome;
  } catch (failure) {
    const { name, message } = failure as Error;
    if (name === 'TimeoutError' || message === 'the process is dead') return undefined;
    throw failure;
  }
}

/** Delivers an event once, to a process that may fail; true when it said that it took it. */
async function deliver({ body, signature }: SignedEvent, clients: DynamoClients): Promise<boolean> {
  const request = new Request('https://localhost/api/payments/stripe/events', {
    method: 'POST',
    headers: { 'stripe-signature': signature },
    body,
  });
  const context = {
    requestId: 'req_1',
    pathParameters: { provider: 'stripe' },
    log: SILENT,
    remainingTimeMs: () => 28_000,
  };
  return (await orPlanned(Promise.resolve(endpointOf(clients)(request, context))))?.status === 200;
}

interface PlayedOrder {
  readonly plan: OrderPlan;
  readonly orderId: string;
  readonly events: readonly SignedEvent[];
}

function eventsOf(plan: OrderPlan, accountId: string): PlayedOrder {
  const orderId = `ord_${systemUlid()}`;
  const payment = `pi_${systemUlid()}`;
  const metadata = { order_id: orderId, account_id: accountId };
  intents.metadata.set(payment, metadata);
  const session = (fields: object) => ({
    id: `cs_${orderId}`,
    object: 'checkout.session',
    amount_total: plan.cents,
    currency: 'usd',
    metadata,
    payment_intent: payment,
    ...fields,
  });
  const events: SignedEvent[] = [];
  if (plan.paid) {
    events.push(signedEvent('checkout.session.completed', session({ payment_status: 'unpaid' })));
    events.push(signedEvent('checkout.session.async_payment_succeeded', session({ payment_status: 'paid' })));
  }
  if (plan.expires)
    events.push(signedEvent('checkout.session.expired', session({ payment_status: 'unpaid' })));
  for (const [index, { cents, dispute, undone }] of plan.reversals.entries()) {
    const id = reversalId(orderId, dispute, index);
    const paymentEvent = (status: string) => ({
      id,
      amount: cents,
      currency: 'usd',
      payment_intent: payment,
      status,
    });
    events.push(
      dispute
        ? signedEvent('charge.dispute.funds_withdrawn', paymentEvent('needs_response'))
        : signedEvent('refund.created', paymentEvent('pending')),
    );
    if (!undone) continue;
    events.push(
      dispute
        ? signedEvent('charge.dispute.funds_reinstated', paymentEvent('won'))
        : signedEvent('refund.failed', paymentEvent('failed')),
    );
  }
  return { plan, orderId, events };
}

/** Returns the final credit of an order after all of its events. */
function worthOf({ paid, cents, reversals }: OrderPlan): bigint {
  if (!paid) return 0n;
  const back = reversals.reduce((sum, reversal) => (reversal.undone ? sum : sum + reversal.cents), 0);
  return BigInt(Math.max(0, cents - back)) * NANO_PER_CENT;
}

let delivered = 0;
let failed = 0;

async function play(story: History): Promise<void> {
  const { orders, repeats, chances, holds, together, faults: plans } = story;
  const accountId = `acc_${systemUlid()}`;
  await new DynamoAccountStore(database.client, database.tables).open({
    id: accountId,
    created: 0,
  });
  const wallets = createWalletStore(database, database.tables.wallets);
  const played = orders.map((plan) => eventsOf(plan, accountId));
  const processes = plans.map((plan) => new FailingProcess(database, plan));
  const pendingEvents: SignedEvent[] = [];
  let [turn, spentAmount] = [0, 0n];

  const deliveries = played
    .flatMap(({ events }) => events)
    .flatMap((event, index) => Array.from({ length: repeats[index % repeats.length] ?? 1 }, () => event))
    .map((event) => async () => {
      const process = processes[turn++ % processes.length];
      delivered += 1;
      if (await deliver(event, process?.clients ?? database)) return;
      failed += 1;
      pendingEvents.push(event);
    });
  const lists = listsOf(played, accountId);
  const reconciliations = Array.from({ length: story.reconciliations }, () => async () => {
    const process = processes[turn++ % processes.length];
    await reconcile(lists, process?.clients ?? database);
  });
  const calls = holds.map((cents) => async () => {
    const amount = BigInt(cents) * NANO_PER_CENT;
    const hold = {
      id: `req_${systemUlid()}`,
      keyId: 'k',
      kind: 'chat' as const,
      amount,
      created: 0,
      expires: 2e9,
    };
    const placedHold = await wallets.hold(accountId, hold);
    if (!placedHold.granted) return;
    const cost = amount / 3n;
    if (
      (await wallets.endHold(accountId, { ...hold, cost, recorded: Math.floor(Date.now() / 1000) })) !==
      undefined
    )
      spentAmount += cost;
  });
  const written = played.map(({ orderId, plan }) => async () => {
    const amount = BigInt(plan.cents) * NANO_PER_CENT;
    const store = createOrderStore({ clients: database, environment: database.environment });
    await store.save({
      id: orderId,
      accountId,
      amount,
      created: 1,
      checkoutUrl: 'u',
      reversals: {},
      version: 0,
    });
  });

  const happenings = [...deliveries, ...reconciliations, ...calls, ...written]
    .map((run, index) => ({ run, at: chances[index % chances.length] ?? 0 }))
    .sort((a, b) => a.at - b.at);
  for (let start = 0; start < happenings.length; start += together) {
    await Promise.all(happenings.slice(start, start + together).map(({ run }) => run()));
    if (story.watched) await requireConsistent(accountId, spentAmount);
  }
  const landLate = () => Promise.all(processes.map((process) => process.landLate()));
  if (story.lateLands === 'before') await landLate();
  // The provider delivers again what was not taken.
  for (const event of pendingEvents) expect(await deliver(event, database)).toBe(true);
  await landLate();
  // It brings what no event did, and the next one finds nothing.
  await reconcile(lists, database);
  const last = await reconcile(lists, database);
  const unpaidReversals = played.reduce((sum, { plan }) => sum + (plan.paid ? 0 : plan.reversals.length), 0);
  expect(last).toMatchObject({ applied: 0, differing: unpaidReversals, complete: true });

  const wallet = await requireConsistent(accountId, spentAmount);
  const worth = played.reduce((sum, { plan }) => sum + worthOf(plan), 0n);
  expect(wallet.balance - wallet.debt + spentAmount).toBe(worth);
  expect(wallet.holds).toEqual([]);
  const store = createOrderStore({ clients: database, environment: database.environment });
  for (const { orderId, plan } of played) {
    const order = await store.find({ accountId, orderId });
    expect(order).toMatchObject({ amount: BigInt(plan.cents) * NANO_PER_CENT, checkoutUrl: 'u' });
  }
}

/** The calls of this test leave no records: the sums are of a single one, which cost what all of them have. */
function rollupsOf(cost: bigint): RollupDependencies {
  const units = { inputUnits: 0, cachedUnits: 0, outputUnits: 0 };
  const call = { id: 'all', created: Date.now() / 1000, model: null, cost, ...units };
  return {
    keys: { since: async () => ({ live: ['key'], later: [] }) },
    calls: {
      read: async () => ({ calls: [{ ...call, kind: 'chat', status: 'completed' }], next: undefined }),
    },
    store: {
      progress: async () => NO_PROGRESS,
      storeProgress: async () => true,
      days: async () => [],
      storeDay: async () => {},
    },
  };
}

/** At every moment: exact books, counted by the service's own audit, and nothing below zero. */
async function requireConsistent(accountId: string, spentAmount: bigint) {
  const store = createWalletStore(database, database.tables.wallets);
  const audited = {
    ...createAuditStore(database.client, database.tables, NO_EARNINGS),
    rollups: rollupsOf(spentAmount),
  };
  expect(await auditAccount(audited, accountId, { clock: Date.now })).toMatchObject({ verdict: 'exact' });
  const wallet = await store.read(accountId);
  if (wallet === undefined) throw new Error('the wallet is gone');
  expect(wallet.balance >= 0n && wallet.debt >= 0n && (wallet.balance === 0n || wallet.debt === 0n)).toBe(
    true,
  );
  return wallet;
}

describe(`${LANES * HISTORIES_PER_LANE} random histories of payments`, () => {
  it('leave an exact ledger at every moment if events and reconciliations are lost, repeated, reordered or interrupted', async () => {
    const property = fc.asyncProperty(history, play);
    const lanes = await Promise.allSettled(
      Array.from({ length: LANES }, (_, lane) =>
        fc.assert(property, { numRuns: HISTORIES_PER_LANE, seed: seedOf(`lane ${lane}`) }),
      ),
    );
    for (const result of lanes) if (result.status === 'rejected') throw result.reason;
    expect(Math.min(delivered, failed)).toBeGreaterThan(0);
  });
});
