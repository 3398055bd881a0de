/** Histories of a service whose processes have leases: callers, faults and changes, from a seed. */
import { encodeTime } from 'ulid';
import { byWindow, type Cap } from '../../../access/core/keys/caps.ts';
import type { Policy } from '../../../access/core/keys/policy.ts';
import { windowsAt } from '../../../access/core/keys/windows.ts';
import { ServiceError } from '../../../platform/core/errors.ts';
import type { NanoUsd } from '../../../platform/core/money.ts';
import { Ledger } from '../../core/admission.ts';
import { type Admission, type Call, NO_OUTPUT } from '../../core/call.ts';
import { repairCaps, type Spends } from '../../core/cap-repair.ts';
import { KeyCheck } from '../../core/key-check.ts';
import { REST_SECONDS } from '../../core/key-rest.ts';
import { MINUTE_MS } from '../../core/lease-times.ts';
import type { Draw } from '../../core/leases/lease.ts';
import { Leases } from '../../core/leases/leases.ts';
import { RecordBatches } from '../../core/leases/record-batches.ts';
import { Recovery } from '../../core/recovery.ts';
import { keyStateOf, SECRET_HASH, walletOf } from './items.ts';
import { createStores, type ExecutedWrite } from './simulated-database.ts';
import { SimulatedProcess, TIMES, UnknownOutcome } from './simulated-process.ts';
import type { Simulation } from './simulation.ts';
import { type SimulatedCall, type SimulatedCover, World } from './world.ts';

const SILENT = { info() {}, warn() {}, error() {} };

/** A ULID of a simulated time, with random letters. */
function ulidOf(simulation: Simulation, ms: number): string {
  const letters = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
  const random = Array.from({ length: 16 }, () => letters[simulation.int(0, letters.length - 1)]);
  return `${encodeTime(ms)}${random.join('')}`;
}

/** Leases that note the draw of each call. */
class NotedLeases extends Leases {
  readonly draws = new Map<string, Draw>();

  override draw(call: Call): Draw | undefined {
    return this.#note(call, super.draw(call));
  }

  override async drawNext(call: Call): Promise<Draw | undefined> {
    return this.#note(call, await super.drawNext(call));
  }

  #note({ requestId }: Call, draw: Draw | undefined): Draw | undefined {
    if (draw !== undefined) this.draws.set(requestId, draw);
    return draw;
  }
}

/** The cost of the records of keys, as the rollups would have it. */
const spendOf = ({ database }: World, keyIds: readonly string[], nowMs: number): Spends => {
  const now = windowsAt(nowMs);
  const sumOf = (keyId: string, window: Cap['window']): NanoUsd =>
    [...database.records.values()]
      .filter((record) => record.keyId === keyId && windowsAt(record.created * 1000)[window] === now[window])
      .reduce((sum, { cost }) => sum + cost, 0n);
  return new Map(keyIds.map((keyId) => [keyId, byWindow(({ window }) => sumOf(keyId, window))]));
};

/** The ledger of one process. */
export class SimulatedHost {
  readonly process: SimulatedProcess;
  readonly #world: World;
  readonly #leases: NotedLeases;
  readonly #ledger: Ledger;
  /** The calls whose record could not be signed any more. */
  #lost = 0;
  #isStopping = false;

  constructor(world: World, name: string) {
    this.#world = world;
    const { simulation, database } = world;
    this.process = new SimulatedProcess(world, name);
    const { process } = this;
    const options = { database, process, simulation, faultRate: () => world.faultRate };
    const { keys, wallets, usage, records } = createStores(options);
    const { clock, after } = process;
    const log = {
      ...SILENT,
      error: (message: string, fields?: Readonly<Record<string, unknown>>) => {
        if (message === 'a lease was lost') this.#noteLoss(Number(fields?.expires));
      },
    };
    const recovery = new Recovery({ keys, wallets, usage, clock, log });
    this.#leases = new NotedLeases({
      keys,
      wallets,
      recovery,
      clock,
      uptime: process.uptime,
      after,
      times: TIMES,
      log,
      ulid: () => ulidOf(simulation, process.clock()),
    });
    const leased = {
      leases: this.#leases,
      records: new RecordBatches(records, { clock, after, log }),
      onLost: () => {
        this.#lost += 1;
      },
    };
    this.#ledger = new Ledger({
      keys,
      keyCheck: new KeyCheck({ keys, wallets, leases: () => this.#leases, clock }),
      wallets,
      usage,
      recovery,
      leased: () => leased,
      spend: async ({ keyId }, nowMs) => spendOf(world, [keyId], nowMs),
      clock,
      after,
      log,
      onSettled: () => {},
      holdTtlSeconds: TIMES.holdMs / 1000,
    });
    process.pauseEnd = () => this.#pauseEnd();
  }

  /** A pause ends at any time, or close to the fence of an open call. */
  #pauseEnd(): number {
    const { simulation, calls } = this.#world;
    const open = [...calls.values()].find(({ process, hasEnded }) => process === this.process && !hasEnded);
    const fenceMs = open?.cover.lease?.fenceMs;
    if (fenceMs !== undefined && simulation.chance(0.5))
      return fenceMs - this.process.offsetMs - simulation.int(-60, 300);
    return simulation.nowMs + simulation.int(1, MINUTE_MS * (simulation.chance(0.3) ? 2 : 0.1));
  }

  /** A live process keeps its leases until they expire. */
  #noteLoss(expires: number): void {
    const { simulation } = this.#world;
    if (simulation.nowMs < expires * 1000 - 2 * TIMES.skewMs)
      simulation.failure ??= new Error('a live process has lost its lease');
  }

  pause(): void {
    this.process.pausedUntilMs = this.#pauseEnd();
  }

  stop(): void {
    this.#isStopping = true;
    if (!this.process.isDead) this.#leases.stop(0);
  }

  get takesCalls(): boolean {
    return !this.process.isDead && !this.#isStopping;
  }

  /** `uploadMs`: from the request id to the admission. */
  async call(planned: Omit<SimulatedCall, 'requestId'>, uploadMs: number): Promise<void> {
    const { process } = this;
    const { simulation, database } = this.#world;
    const call = { ...planned, requestId: `req_${ulidOf(simulation, process.clock())}` };
    if (uploadMs > 0) await process.sleep(uploadMs);
    const accountId = database.keys.get(call.keyId)?.accountId ?? '';
    const request = {
      requestId: call.requestId,
      key: { accountId, keyId: call.keyId, secretHash: SECRET_HASH },
      scope: { kind: 'chat', models: [] },
      output: NO_OUTPUT,
      tokens: () => call.tokens,
      cost: () => call.bound,
    } as const;
    const arrivedMs = simulation.nowMs;
    const admission = await this.#admit(request);
    if (admission === undefined) return;
    const cover = this.#coverOf(request, admission, arrivedMs);
    const admitted = this.#world.admitted(call, process, { cover, arrivedMs });
    await process.gate();
    await process.sleep(call.durationMs);
    const lostBefore = this.#lost;
    try {
      const { record } = await admission.settle({ ...BLANK, amount: call.cost, tokens: call.usedTokens });
      if (record.status === 'expired') return this.#world.lost(admitted);
    } catch (failure) {
      if (!(failure instanceof ServiceError || failure instanceof UnknownOutcome)) throw failure;
      if (this.#lost > lostBefore) this.#world.lost(admitted);
      return;
    }
    this.#world.delivered(admitted);
    this.onDelivered?.();
  }

  async #admit(call: Call): Promise<Admission | undefined> {
    try {
      return await this.#ledger.admit(call);
    } catch (failure) {
      if (!(failure instanceof ServiceError || failure instanceof UnknownOutcome)) throw failure;
      this.#world.counts.rejected += 1;
      this.onRejected?.(failure);
      return undefined;
    }
  }

  #coverOf({ requestId }: Call, { held }: Admission, arrivedMs: number): SimulatedCover {
    if (held !== undefined) return { windows: held.charge.windows, keyReadMs: arrivedMs };
    const draw = this.#leases.draws.get(requestId);
    if (draw === undefined) throw new Error('an admission without a hold has no draw');
    const { id, span } = draw.lease;
    return { windows: span.windows, keyReadMs: draw.keyReadMs, lease: { id, fenceMs: span.fenceMs } };
  }

  onRejected?: (failure: unknown) => void;
  onDelivered?: () => void;
}

const BLANK = {
  model: null,
  kind: 'chat',
  inputUnits: 0,
  cachedUnits: 0,
  outputUnits: 0,
  unit: 'token',
  estimated: false,
  route: null,
  status: 'completed',
} as const;

/** Recovers what has expired, as the sweep does, and repairs caps, as the nightly pass does. */
class Sweeper {
  readonly process: SimulatedProcess;
  readonly #world: World;
  readonly #stores: ReturnType<typeof createStores>;
  readonly #recovery: Recovery;

  constructor(world: World, name: string) {
    this.#world = world;
    this.process = new SimulatedProcess(world, name);
    const { process } = this;
    const { database, simulation } = world;
    this.#stores = createStores({ database, process, simulation, faultRate: () => world.faultRate });
    this.#recovery = new Recovery({ ...this.#stores, clock: process.clock, log: SILENT });
  }

  async sweep(): Promise<void> {
    const { credits, database } = this.#world;
    for (const accountId of credits.keys())
      await attempt(() => this.#recovery.recoverWallet(walletOf(accountId, database.shardsOf(accountId))));
    for (const item of [...database.keys.values()])
      await attempt(() => this.#recovery.recoverKey(keyStateOf(item, windowsAt(this.process.clock()))));
  }

  async repair(): Promise<void> {
    const { keys, wallets } = this.#stores;
    const world = this.#world;
    for (const accountId of world.credits.keys()) {
      const keyIds = [...world.database.keys.values()].flatMap((key) =>
        key.accountId === accountId ? [key.keyId] : [],
      );
      const holds = async () => (await wallets.read(accountId))?.holds ?? [];
      const spend = async (_accountId: string, nowMs: number) => spendOf(world, keyIds, nowMs);
      await repairCaps({ keys, holds, spend, clock: this.process.clock }, accountId, keyIds);
    }
  }
}

/** Leaves what a fault has stopped to the next pass. */
async function attempt(work: () => Promise<unknown>): Promise<void> {
  await work().catch((failure: unknown) => {
    if (!(failure instanceof UnknownOutcome)) throw failure;
  });
}

export interface HistoryResult {
  readonly world: World;
  readonly failure?: unknown;
}

/** A policy whose limits a history may reach; 0 stands for none. */
function randomPolicy(simulation: Simulation): Policy {
  const tpm = simulation.pick([30, 0]);
  const daily = simulation.pick([50n, 1_000n, 0n]);
  const monthly = simulation.pick([150n, 0n]);
  return {
    rpm: simulation.pick([5, 20, 1_000]),
    ...(tpm === 0 ? {} : { tpm }),
    ...(daily === 0n ? {} : { daily_usd: daily }),
    ...(monthly === 0n ? {} : { monthly_usd: monthly }),
  };
}

/** Just before the end of a minute, a day or a month, or in the middle of a day. */
const STARTS = [
  Date.UTC(2026, 6, 15, 12, 0, 50),
  Date.UTC(2026, 6, 15, 23, 59, 40),
  Date.UTC(2026, 6, 31, 23, 59, 57),
  Date.UTC(2026, 6, 15, 12, 0, 5),
];

export async function playHistory(
  seed: number,
  onWrite?: (executed: ExecutedWrite) => void,
): Promise<HistoryResult> {
  const first = new World(seed, 0, 0).simulation;
  const faultRate = first.chance(0.3) ? 0 : first.random() * 0.2;
  const startMs = first.pick(STARTS);
  const world = new World(seed * 7919 + 1, startMs, faultRate);
  world.database.onWrite = onWrite;
  const { simulation } = world;
  const hosts = Array.from(
    { length: simulation.int(1, 3) },
    (_, at) => new SimulatedHost(world, `host ${at}`),
  );
  const sweepers = Array.from(
    { length: simulation.int(1, 3) },
    (_, at) => new Sweeper(world, `sweeper ${at}`),
  );
  const keyIds: string[] = [];
  for (let account = 0, accounts = simulation.int(1, 2); account < accounts; account += 1) {
    world.addAccount(
      `acc${account}`,
      simulation.pick([30n, 200n, 2_000n, 20_000n]),
      simulation.chance(0.3) ? 2 : 1,
    );
    for (let at = 0, keys = simulation.int(1, 2); at < keys; at += 1) {
      keyIds.push(`acc${account}/key${at}`);
      world.addKey(`acc${account}`, `acc${account}/key${at}`, randomPolicy(simulation));
    }
  }
  const lengthMs = simulation.pick([4_000, 9_000, 16_000, 75_000]);
  planCalls(world, hosts, keyIds, lengthMs);
  planFaults(world, hosts, lengthMs);
  planChanges(world, keyIds, lengthMs);
  const endMs = startMs + lengthMs;
  const quietMs =
    endMs +
    MINUTE_MS +
    TIMES.recordMs +
    TIMES.marginMs +
    TIMES.holdMs +
    2 * TIMES.signatureMs +
    3 * MINUTE_MS;
  for (const sweeper of sweepers)
    for (let atMs = startMs + simulation.int(0, 5_000); atMs < quietMs; atMs += 5_000)
      simulation.at(atMs, () => guard(simulation, sweeper.sweep()));
  try {
    await simulation.run(endMs + 2 * TIMES.callMs);
    for (const host of hosts) if (simulation.chance(0.5)) host.stop();
    await simulation.run(quietMs);
    world.faultRate = 0;
    for (let pass = 0; pass < 2; pass += 1) {
      for (const sweeper of sweepers) guard(simulation, sweeper.sweep());
      await simulation.run(simulation.nowMs + 2 * TIMES.signatureMs);
    }
    world.checkRest();
    await simulation.run(simulation.nowMs + REST_SECONDS * 1_000);
    for (const sweeper of sweepers.slice(0, 1)) {
      guard(simulation, sweeper.repair());
      await simulation.run(simulation.nowMs + TIMES.signatureMs);
      world.checkRepaired(windowsAt(sweeper.process.clock()));
    }
  } catch (failure) {
    return { world, failure };
  }
  return { world };
}

/** A failure of a part of the history is one of the history. */
function guard(simulation: Simulation, work: Promise<unknown>): void {
  work.catch((failure: unknown) => {
    simulation.failure ??= failure;
  });
}

function planCalls(
  world: World,
  hosts: readonly SimulatedHost[],
  keyIds: readonly string[],
  lengthMs: number,
): void {
  const { simulation } = world;
  const perSecond = simulation.pick(lengthMs > 60_000 ? [1, 5] : [2, 10, 30]);
  const endMs = simulation.nowMs + lengthMs;
  for (let atMs = simulation.nowMs; atMs < endMs; ) {
    const keyId = simulation.pick(keyIds);
    const burst = simulation.chance(0.1) ? simulation.int(2, 12) : 1;
    for (let each = 0; each < burst; each += 1) {
      simulation.at(atMs, () => {
        const host = simulation.pick(hosts);
        const uploadMs = simulation.chance(0.08) ? simulation.int(0, 20_000) : 0;
        if (host.takesCalls) guard(simulation, host.call(randomCall(simulation, keyId), uploadMs));
      });
    }
    atMs += Math.ceil((simulation.random() * 2_000) / perSecond) + (simulation.chance(0.02) ? 2_500 : 0);
  }
}

function randomCall(simulation: Simulation, keyId: string): Omit<SimulatedCall, 'requestId'> {
  const bound = simulation.int(0, 20);
  return {
    keyId,
    bound: BigInt(bound),
    cost: simulation.chance(0.1) ? 0n : BigInt(simulation.int(0, bound)),
    tokens: simulation.int(0, 5),
    usedTokens: simulation.int(0, 6),
    durationMs: simulation.pick([5, 40, 400, simulation.int(0, TIMES.callMs)]),
  };
}

function planFaults(
  { simulation, faultRate }: World,
  hosts: readonly SimulatedHost[],
  lengthMs: number,
): void {
  const sometimes = (times: number, run: () => void) => {
    for (let at = 0; at < times; at += 1)
      simulation.at(simulation.nowMs + simulation.random() * lengthMs, run);
  };
  for (const host of hosts) {
    const { process } = host;
    if (simulation.chance(0.4)) process.dieAt = simulation.int(1, 400);
    if (simulation.chance(0.4)) process.pauseAt = simulation.int(1, 400);
    sometimes(simulation.int(0, 1), () => host.pause());
    sometimes(faultRate > 0 ? simulation.int(0, 2) : 0, () => {
      process.offlineUntilMs = simulation.nowMs + simulation.int(50, 1_500);
    });
    sometimes(simulation.int(0, 1), () => {
      process.offsetMs += simulation.int(-60, 60);
    });
    if (simulation.chance(0.2)) sometimes(1, () => host.stop());
  }
}

function planChanges(world: World, keyIds: readonly string[], lengthMs: number): void {
  const { simulation, database, credits } = world;
  const sometimes = (times: number, run: () => void) => {
    for (let at = 0; at < times; at += 1)
      simulation.at(simulation.nowMs + simulation.random() * lengthMs, run);
  };
  const randomWallet = () => {
    const accountId = simulation.pick([...credits.keys()]);
    const item = database.wallets.get(accountId);
    if (item === undefined) throw new Error('there is no such wallet');
    return { accountId, item };
  };
  const credit = (accountId: string, by: NanoUsd) =>
    credits.set(accountId, (credits.get(accountId) ?? 0n) + by);
  sometimes(simulation.int(0, 2), () => {
    const { accountId, item } = randomWallet();
    const by = BigInt(simulation.int(1, 500));
    const paid = item.debt < by ? item.debt : by;
    credit(accountId, by);
    item.received += by;
    item.debt -= paid;
    item.balance += by - paid;
  });
  sometimes(simulation.int(0, 2), () => {
    const { accountId, item } = randomWallet();
    const by = BigInt(simulation.int(1, 300));
    const paid = item.balance < by ? item.balance : by;
    credit(accountId, -by);
    item.received -= by;
    item.balance -= paid;
    item.debt += by - paid;
  });
  sometimes(simulation.int(0, 2), () => {
    world.changePolicy(simulation.pick(keyIds), randomPolicy(simulation));
  });
  sometimes(simulation.chance(0.5) ? 1 : 0, () => {
    const keyId = simulation.pick(keyIds);
    const item = database.keys.get(keyId);
    if (item === undefined) return;
    item.status = 'revoked';
    world.revokedMs.set(keyId, simulation.nowMs);
  });
}

/** A wallet, a cap or a limit that affords exactly k calls admits k, whoever races for it; nothing is held 2 s after the last. */
export async function playRace(seed: number): Promise<HistoryResult> {
  const world = new World(seed, STARTS[3] ?? 0, 0);
  const { simulation, database } = world;
  const count = simulation.int(1, 80);
  const bound = BigInt(simulation.int(1, 9));
  const scarce = simulation.pick(['wallet', 'day', 'requests', 'tokens'] as const);
  const rest = BigInt(simulation.int(0, Number(bound) - 1));
  world.addAccount(
    'acc',
    scarce === 'wallet' ? BigInt(count) * bound + rest : 1_000_000_000n,
    simulation.chance(0.3) ? 2 : 1,
  );
  world.addKey('acc', 'acc/key', {
    rpm: scarce === 'requests' ? count : 1_000_000,
    ...(scarce === 'tokens' ? { tpm: count } : {}),
    ...(scarce === 'day' ? { daily_usd: BigInt(count) * bound } : {}),
  });
  const hosts = Array.from(
    { length: simulation.int(1, 4) },
    (_, at) => new SimulatedHost(world, `host ${at}`),
  );
  const spreadMs = simulation.pick([1, 100, 900]);
  const beginMs = simulation.nowMs;
  let lastMs = beginMs;
  for (const host of hosts)
    host.onDelivered = () => {
      lastMs = simulation.nowMs;
    };
  for (let at = 0; at < count * 2 + 10; at += 1) {
    const call = {
      keyId: 'acc/key',
      bound,
      cost: bound,
      tokens: 1,
      usedTokens: 1,
      durationMs: simulation.int(1, 300),
    };
    simulation.at(beginMs + simulation.random() * spreadMs, () =>
      guard(simulation, simulation.pick(hosts).call(call, 0)),
    );
  }
  try {
    await simulation.run(beginMs + spreadMs + 3_300);
    if (world.counts.admitted !== count)
      throw new Error(
        `${world.counts.admitted} of ${count} calls were admitted by ${hosts.length} hosts (${scarce})`,
      );
    await simulation.run(lastMs + 2_000);
    const held = database
      .shardsOf('acc')
      .flatMap(({ leases }) => [...leases.values()].map(({ amount }) => amount));
    if (held.some((amount) => amount > 0n))
      throw new Error(`${held} are held two seconds after the last call`);
  } catch (failure) {
    return { world, failure };
  }
  return { world };
}
