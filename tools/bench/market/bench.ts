/** The write units of a sale, its maturity, a renewal, a payout and a build, each through the code of its function. */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Build } from '../../../lambdas/marketplace/core/builds/build.ts';
import { recordScan, recordUpload } from '../../../lambdas/marketplace/core/builds/scans.ts';
import { connectAccount } from '../../../lambdas/marketplace/core/payouts/account.ts';
import type { Payout } from '../../../lambdas/marketplace/core/payouts/payout.ts';
import { payoutEntry } from '../../../lambdas/marketplace/core/payouts/payout-entry.ts';
import { requestPayout } from '../../../lambdas/marketplace/core/payouts/requests.ts';
import { DynamoBuildStore } from '../../../lambdas/marketplace/store/builds/build-store.ts';
import { createPayoutStore } from '../../../lambdas/marketplace/store/create-payouts.ts';
import { hintPayout } from '../../../lambdas/marketplace/store/payouts/payout-hint.ts';
import { StripePayouts } from '../../../lambdas/marketplace/store/payouts/stripe-payouts.ts';
import { zip } from '../../../lambdas/marketplace/testing/archives.ts';
import { type MarketDatabase, MarketWorld } from '../../../lambdas/marketplace/testing/market-world.ts';
import { requireTable, TABLES, type TableName } from '../../../lambdas/platform/contract/tables.ts';
import { startPaymentSandbox } from '../../simulators/payments/sandbox.ts';
import { type Database, openDatabase } from '../../test-kit/database.ts';
import type { BenchMetric } from '../harness/report.ts';
import { SILENT } from '../harness/service/account.ts';
import { Traffic } from '../harness/service/traffic.ts';

const CENTS = 8_000;
const PLAN = { id: 'pro', name: 'Pro', interval: 'month', amount: CENTS, currency: 'USD', trial_days: 0 };

/** More than the maturity, and more than a period. */
const MATURITY_DAYS = 15;
const PERIOD_DAYS = 32;

interface Bench {
  readonly database: MarketDatabase;
  readonly world: MarketWorld;
  readonly traffic: Traffic;
}

function marketOf(database: Database): MarketDatabase {
  const { environment } = database;
  const names = Object.keys(TABLES) as TableName[];
  const tables = Object.fromEntries(names.map((name) => [name, requireTable(environment, name)]));
  return { ...database.connect(), environment, tables: tables as MarketDatabase['tables'] };
}

/** Returns the write units of an action. */
async function unitsOf({ traffic }: Bench, action: () => Promise<unknown>): Promise<number> {
  traffic.take();
  await action();
  return traffic.take().writeUnits;
}

/** Lets the worker process what is due. Throws if that is anything but one item of this type. */
async function processOne({ world }: Bench, type: 'matured' | 'renewed'): Promise<void> {
  const { matured, renewed, failed } = await world.processDue();
  const counts = { matured, renewed };
  if (counts[type] !== 1 || matured + renewed + failed !== 1)
    throw new Error(`the worker did other work: ${JSON.stringify({ ...counts, failed })}`);
}

const metric = (name: string, value: number): BenchMetric => ({ name, value, unit: 'write units' });

async function measureSale(bench: Bench): Promise<{ seller: string; metrics: readonly BenchMetric[] }> {
  const { world } = bench;
  const [seller, buyer] = [await world.open(), await world.open()];
  const listing = await world.list(seller, CENTS);
  await world.pay(buyer, CENTS);
  const sale = await unitsOf(bench, () => world.buy(buyer, listing));
  world.day += MATURITY_DAYS;
  const maturity = await unitsOf(bench, () => processOne(bench, 'matured'));
  return { seller, metrics: [metric('a sale', sale), metric('a maturity', maturity)] };
}

async function measureRenewal(bench: Bench): Promise<readonly BenchMetric[]> {
  const { world } = bench;
  const [seller, buyer] = [await world.open(), await world.open()];
  const listing = await world.offer(seller, [PLAN]);
  await world.grant(buyer, 2 * CENTS);
  const start = await unitsOf(bench, () => world.subscribe(buyer, listing, PLAN));
  // The first sale has matured when the second period starts.
  world.day += MATURITY_DAYS;
  await processOne(bench, 'matured');
  world.day += PERIOD_DAYS - MATURITY_DAYS;
  const renewal = await unitsOf(bench, () => processOne(bench, 'renewed'));
  return [metric('a subscription', start), metric('a renewal', renewal)];
}

async function measurePayout(bench: Bench, seller: string): Promise<BenchMetric> {
  const { database, world } = bench;
  const folder = mkdtempSync(join(tmpdir(), 'bench-payouts-'));
  const sandbox = await startPaymentSandbox({
    preferredPort: 0,
    file: join(folder, 'payments.json'),
    log: () => {},
  });
  const clock = () => world.nowSeconds * 1000;
  const environment = { PAYMENT_SECRET: 'payments', PAYMENT_API_URL: sandbox.url };
  const readSecret = async () => 'sk_test_payouts';
  const system = {
    clock,
    provider: new StripePayouts({ environment, readSecret, clock, log: SILENT }),
    store: createPayoutStore({ clients: database, environment: database.environment }),
    maturitySeconds: 7 * 86_400,
    log: SILENT,
    ulid: world.ulid,
  };
  const { providerId } = await connectAccount(system, seller, { country: 'DE' });
  sandbox.accounts.account(providerId).state = 'active';
  // The first run finds that there is no earlier transfer, once for the table.
  await world.processPayouts(system);
  const units = await unitsOf(bench, async () => {
    const { id } = await requestPayout(system, seller, undefined);
    await world.processPayouts(system);
    const payout = sandbox.accounts.payouts.find(({ metadata }) => metadata.payout_id === id);
    await sandbox.accounts.settle(payout?.id ?? '', 'pay');
    await hintPayout(database.client, database.tables.market, { sellerId: seller, id }, world.nowSeconds);
    await world.processPayouts(system);
    const { status } = payoutEntry((await system.store.find({ sellerId: seller, id })) as Payout);
    if (status !== 'paid') throw new Error(`the payout is ${status}`);
  });
  await sandbox.stop();
  rmSync(folder, { recursive: true });
  return metric('a payout', units);
}

async function measureBuild(bench: Bench): Promise<BenchMetric> {
  const { database, world } = bench;
  const store = new DynamoBuildStore(database.client, database.tables);
  const content = zip([{ name: 'README.md', content: Buffer.from('# An app') }]);
  const listingId = `lst_${world.ulid()}`;
  const build: Build = {
    listingId,
    id: `build_${world.ulid()}`,
    ownerId: await world.open(),
    filename: 'app.zip',
    size: content.length,
    sha256: createHash('sha256').update(content).digest('hex'),
    status: 'awaiting_upload',
    threats: [],
    requests: 0,
    released: false,
    created: world.nowSeconds,
    dueAt: world.nowSeconds,
    version: 1,
  };
  const files = { read: async () => content, publish: async () => {}, remove: async () => {} };
  const scans = { store, files, clock: () => world.nowSeconds * 1000, ulid: world.ulid, log: SILENT };
  const units = await unitsOf(bench, async () => {
    await store.create(build, { perDay: 1, bytes: content.length });
    await recordUpload(scans, build);
    const result = { listingId, id: build.id, result: 'NO_THREATS_FOUND', threats: [] } as const;
    await recordScan({ ...scans, engine: 'guardduty' }, result);
  });
  const status = (await store.find(build))?.status;
  if (status !== 'clean') throw new Error(`the build is ${status}`);
  return metric('a build', units);
}

export async function measureMarket(): Promise<readonly BenchMetric[]> {
  const opened = await openDatabase();
  try {
    const database = marketOf(opened);
    const bench = { database, world: new MarketWorld(database), traffic: new Traffic(database) };
    const { seller, metrics } = await measureSale(bench);
    return [
      ...metrics,
      await measurePayout(bench, seller),
      ...(await measureRenewal(bench)),
      await measureBuild(bench),
    ];
  } finally {
    await opened.close();
  }
}
