/**
 * The database requests and write units of calls with leases, and the credit that leases lock: the product's own classes on
 * the simulated tables of their histories, in virtual time. So the figures are counts, which no machine changes.
 */
import { SimulatedHost } from '../../../lambdas/ledger/testing/leases/history.ts';
import { World } from '../../../lambdas/ledger/testing/leases/world.ts';
import type { BenchMetric } from '../harness/report.ts';

interface Scenario {
  readonly name: string;
  readonly accounts?: number;
  /** Keys of each account. */
  readonly keys?: number;
  readonly shards?: number;
  readonly hosts?: number;
  readonly callMs: number;
  /** Callers of each key that call again as soon as they have their response. */
  readonly callers?: number;
  /** Calls a second of each key, at random times. */
  readonly perSecond?: number;
  readonly seconds?: number;
  /** The goals, a call. */
  readonly requests: number;
  readonly units: number;
}

const SCENARIOS: readonly Scenario[] = [
  { name: '64 callers of one key, 20 ms', callMs: 20, callers: 64, requests: 0.15, units: 1.05 },
  {
    name: '64 accounts, 5 a second each of 1 s',
    accounts: 64,
    callMs: 1_000,
    perSecond: 5,
    requests: 1.2,
    units: 1.65,
  },
  {
    name: '64 keys of one account, 5 a second each of 1 s',
    keys: 64,
    shards: 12,
    callMs: 1_000,
    perSecond: 5,
    requests: 1.2,
    units: 1.75,
  },
  { name: 'one caller without pause, 20 ms', callMs: 20, callers: 1, requests: 1.1, units: 1.1 },
  {
    name: 'one caller without pause, 10 s',
    callMs: 10_000,
    callers: 1,
    seconds: 600,
    requests: 3.4,
    units: 3.4,
  },
  { name: '1 a second of 10 s', callMs: 10_000, perSecond: 1, seconds: 600, requests: 4, units: 4 },
  { name: '1 in 30 s', callMs: 1_000, perSecond: 1 / 30, seconds: 3_600, requests: 5.1, units: 5.1 },
  {
    name: '5 a second of 1 s over 4 hosts',
    hosts: 4,
    callMs: 1_000,
    perSecond: 5,
    requests: 3.3,
    units: 3.3,
  },
  {
    name: '1,000 a second of 10 s over 4 hosts',
    hosts: 4,
    callMs: 10_000,
    perSecond: 1_000,
    seconds: 60,
    requests: 0.75,
    units: 1.05,
  },
];

const SECONDS = 120;
const START_MS = Date.UTC(2026, 6, 15, 12, 0, 20);
const CREDIT = 1_000_000_000_000n;
/** Until leases have closed. */
const REST_MS = 15_000;
const SAMPLE_MS = 250;

/** Counts, and leaves the laws to the histories. */
class CountingWorld extends World {
  units = 0;
  override onExecuted = (): void => {
    this.counts.requests += 1;
  };
  protected override checkLimits(): void {}
}

export async function measureLeases(): Promise<readonly BenchMetric[]> {
  const metrics: BenchMetric[] = [];
  for (const scenario of SCENARIOS) metrics.push(...(await measure(scenario)));
  return metrics;
}

async function measure(scenario: Scenario): Promise<readonly BenchMetric[]> {
  const { accounts = 1, keys = 1, shards = 1, hosts: hostCount = 1, seconds = SECONDS } = scenario;
  const world = new CountingWorld(1, START_MS, 0);
  const { simulation, database, counts } = world;
  database.onWrite = (executed) => {
    // A transaction writes both shards, at two units each.
    world.units += executed.side === 'wallet' && executed.across ? 4 : 1;
  };
  const hosts = Array.from({ length: hostCount }, (_, at) => new SimulatedHost(world, `host ${at}`));
  const endMs = START_MS + seconds * 1_000;
  for (let account = 0; account < accounts; account += 1) {
    const accountId = `acc${account}`;
    world.addAccount(accountId, CREDIT, shards);
    spreadCredit(world, accountId);
    for (let at = 0; at < keys; at += 1) {
      const keyId = `${accountId}/key${at}`;
      world.addKey(accountId, keyId, { rpm: 1_000_000 });
      load(world, { scenario, hosts, keyId, endMs });
    }
  }
  const locked = sampleLocked(world, endMs);
  await simulation.run(endMs + scenario.callMs + REST_MS);
  const calls = counts.recorded;
  if (calls === 0 || calls !== counts.admitted) throw new Error(`${calls} of ${counts.admitted} calls ended`);
  const asked = [...world.calls.values()].filter(({ waitedMs }) => waitedMs > 0).length;
  const goal = (name: string, value: number, most: number): BenchMetric => ({
    name: `${scenario.name}: ${name}`,
    value,
    unit: 'a call',
    most,
    goal: true,
  });
  return [
    goal('requests', counts.requests / calls, scenario.requests),
    goal('write units', (world.units + database.holdUnits + database.records.size) / calls, scenario.units),
    { name: `${scenario.name}: waited for a request`, value: asked / calls, unit: 'of the calls' },
    { name: `${scenario.name}: took a hold`, value: counts.held / calls, unit: 'of the calls' },
    { name: `${scenario.name}: locked beyond open calls`, value: locked(), unit: 'of their holds' },
  ];
}

/** A wallet that has grown has its credit in all shards. */
function spreadCredit({ database }: World, accountId: string): void {
  const shards = database.shardsOf(accountId);
  for (const shard of shards) {
    shard.balance = CREDIT / BigInt(shards.length);
    shard.received = shard.balance;
  }
}

interface Load {
  readonly scenario: Scenario;
  readonly hosts: readonly SimulatedHost[];
  readonly keyId: string;
  readonly endMs: number;
}

function load(world: World, { scenario, hosts, keyId, endMs }: Load): void {
  const { simulation } = world;
  const { callMs, callers = 0, perSecond = 0 } = scenario;
  const call = (): Promise<void> => {
    const planned = { keyId, bound: 1_000n, cost: 300n, tokens: 10, usedTokens: 5, durationMs: callMs };
    return simulation.pick(hosts).call(planned, 0);
  };
  const onFailure = (failure: unknown) => {
    simulation.failure ??= failure;
  };
  const repeat = async (): Promise<void> => {
    while (simulation.nowMs < endMs) await call();
  };
  for (let caller = 0; caller < callers; caller += 1)
    simulation.at(simulation.nowMs + caller, () => repeat().catch(onFailure));
  if (perSecond === 0) return;
  for (let atMs = simulation.nowMs; ; ) {
    atMs += (-Math.log(1 - simulation.random()) * 1_000) / perSecond;
    if (atMs >= endMs) return;
    simulation.at(atMs, () => call().catch(onFailure));
  }
}

/** Returns what leases held on average beyond the bounds of open calls, as a share of these. */
function sampleLocked(world: World, endMs: number): () => number {
  const { simulation, database } = world;
  let [held, drawn] = [0, 0];
  const sample = () => {
    for (const { leases, holds } of database.wallets.values())
      for (const { amount } of [...leases.values(), ...holds.values()]) held += Number(amount);
    for (const { hasEnded, bound } of world.calls.values()) if (!hasEnded) drawn += Number(bound);
    if (simulation.nowMs < endMs) simulation.at(simulation.nowMs + SAMPLE_MS, sample);
  };
  simulation.at(simulation.nowMs + 5_000, sample);
  return () => (held - drawn) / drawn;
}
