import { describe, expect, it } from '@jest/globals';
import { ACCOUNT, DEAD, Fleet, PAYING, ROUTE, routeOf } from '../../testing/circuit/fleet.ts';
import { MemoryCircuits } from '../../testing/circuit/memory-circuits.ts';
import { UpstreamFailure } from '../upstream/provider.ts';
import { accountHash, type Breaker, type BreakerDependencies, type Permit } from './breaker.ts';
import { type Circuit, keysOf, stateOf } from './circuit.ts';

const CALLER = { accountId: ACCOUNT, spentAmount: PAYING };

/** The account's own circuit, as it is stored. */
const ownCircuit = (fleet: Fleet): Circuit => fleet.memory.of(keysOf(ROUTE.id, accountHash(ACCOUNT)).own);

/** Returns the state of the route's circuit for the test account. */
const stateIn = (fleet: Fleet) => stateOf(ownCircuit(fleet), accountHash(ACCOUNT), fleet.time.clock()).kind;

/** The route's circuit is open, and every process knows it. */
async function openFleet(processes: number): Promise<Fleet> {
  const fleet = new Fleet(processes);
  for (let call = 0; call < 5; call += 1) await fleet.time.until(fleet.call(0, { failure: DEAD }));
  await fleet.time.advance(2_000);
  await fleet.round({ failure: DEAD });
  return fleet;
}

/** The same, past the cooldown. */
async function halfOpenFleet(processes: number): Promise<Fleet> {
  const fleet = await openFleet(processes);
  await fleet.time.advance(13_000);
  return fleet;
}

const admit = async (breaker: Breaker) => {
  await breaker.refresh([ROUTE], ACCOUNT);
  return breaker.admit(ROUTE, CALLER);
};

/** The permit of a call of this process, which the breaker lets try. */
async function permitOf(fleet: Fleet, process = 0): Promise<Permit> {
  const pass = await fleet.time.until(admit(fleet.breaker(process)));
  if (!pass.allowed) throw new Error('not allowed');
  return pass;
}

describe('calls over a route that works', () => {
  it('write nothing, and read once in two seconds for each process', async () => {
    const fleet = new Fleet(3);
    const store = fleet.memory;
    for (let call = 0; call < 100; call += 1) {
      expect(await fleet.round({})).toEqual(['completed', 'completed', 'completed']);
      await fleet.time.advance(100);
    }
    expect(store.writes).toBe(0);
    // 100 calls in 10 s.
    expect(store.reads).toBe(3 * 5);
  });

  it('wait for the database in no process but a new one, and there once and not for long', async () => {
    const never = new Promise<never>(() => {});
    const fleet = new Fleet(1, () => ({ read: () => never, write: () => never }));
    const startMs = fleet.time.clock();
    await fleet.time.until(Promise.all([fleet.call(0, {}), fleet.call(0, {})]));
    expect(fleet.time.clock() - startMs).toBe(250);
    await fleet.time.advance(60_000);
    const laterMs = fleet.time.clock();
    for (let call = 0; call < 10; call += 1) await fleet.time.until(fleet.call(0, {}));
    expect(fleet.time.clock()).toBe(laterMs);
    expect(fleet.time.timers).toBe(0);
  });

  it('count within a window: a long period of success does not keep a failed route in use', async () => {
    const fleet = new Fleet(1);
    for (let call = 0; call < 10_000; call += 1) {
      await fleet.call(0, {});
      if (call % 100 === 0) await fleet.time.advance(1_000);
    }
    await fleet.time.advance(12_000);
    for (let call = 0; call < 6; call += 1) await fleet.time.until(fleet.call(0, { failure: DEAD }));
    expect(fleet.tries).toBe(10_000 + 5);
    expect(fleet.openings).toBe(1);
  });
});

describe('a dead route under eight processes', () => {
  it('causes one opening after at most three failures of each process, and receives no calls after it', async () => {
    const fleet = new Fleet(8);
    for (let round = 0; round < 100; round += 1) {
      await fleet.round({ failure: DEAD });
      await fleet.time.advance(100);
    }
    // The first eight are taken for one call in three; the second eight outweigh what is assumed beside them.
    expect(fleet.tries).toBeLessThanOrEqual(8 * 3);
    expect(fleet.openings).toBe(1);
    expect(fleet.log.filter((line) => line === 'circuit opened')).toHaveLength(1);
    expect(fleet.events.filter((event) => event === 'routeFailed')).toHaveLength(fleet.tries);
    expect(fleet.memory.writes).toBeLessThan(60);
  });

  it('processes that have not met the route skip it within two seconds', async () => {
    const fleet = new Fleet(8);
    await fleet.round({});
    await fleet.time.advance(15_000);
    for (let call = 0; call < 5; call += 1) await fleet.time.until(fleet.call(0, { failure: DEAD }));
    expect(stateIn(fleet)).toBe('shut');
    await fleet.time.advance(2_000);
    // The look is in flight while the call is admitted; here it is over at once.
    expect(await fleet.round({ failure: DEAD })).toEqual(Array(8).fill('skipped'));
    expect(fleet.tries).toBe(8 + 5);
  });

  it('causes hardly any further writes by failures of calls that started before the opening', async () => {
    const fleet = new Fleet(8);
    const hung = Array.from({ length: 8 * 12 }, (_, call) =>
      fleet.call(call % 8, { failure: DEAD, takesMs: 14_000 }),
    );
    await fleet.time.advance(1_000);
    for (let call = 0; call < 5; call += 1) await fleet.time.until(fleet.call(0, { failure: DEAD }));
    expect(stateIn(fleet)).toBe('shut');
    await fleet.time.advance(2_000);
    await fleet.round({});
    const { writes } = fleet.memory;
    await fleet.time.until(Promise.all(hung));
    expect(fleet.tries).toBe(8 * 12 + 5);
    // The shared circuit counts two of them, for which eight processes contend.
    expect(fleet.memory.writes - writes).toBeLessThanOrEqual(2 + 8);
    expect(fleet.openings).toBe(1);
  });

  it('serves all processes again two seconds after it serves its probe', async () => {
    const fleet = await halfOpenFleet(8);
    const results = await fleet.round({ takesMs: 300 });
    expect(results.filter((result) => result === 'completed')).toHaveLength(1);
    await fleet.time.advance(2_000);
    expect(await fleet.round({})).toEqual(Array(8).fill('completed'));
    expect(fleet.log.filter((line) => line === 'circuit closed')).toHaveLength(1);
  });
});

describe('a probe', () => {
  it('starts no earlier than the time that a rejected call receives, a second or more', async () => {
    const fleet = await openFleet(1);
    // It opened two seconds ago, for fifteen.
    for (const [passedMs, retryAfterSeconds] of [
      [0, 13],
      [12_500, 1],
      [499, 1],
    ] as const) {
      await fleet.time.advance(passedMs);
      expect(await admit(fleet.breaker(0))).toEqual({ allowed: false, retryAfterSeconds });
    }
    await fleet.time.advance(1);
    expect(await fleet.time.until(admit(fleet.breaker(0)))).toMatchObject({ allowed: true });
  });

  it('consists of only one of many calls of a process', async () => {
    const fleet = await halfOpenFleet(1);
    const passes = await fleet.time.until(
      Promise.all(Array.from({ length: 50 }, () => admit(fleet.breaker(0)))),
    );
    expect(passes.filter(({ allowed }) => allowed)).toHaveLength(1);
    expect(passes.find(({ allowed }) => !allowed)).toEqual({ allowed: false, retryAfterSeconds: 2 });
  });

  it.each([
    ['the time of its route', ROUTE],
    ['a minute if its route may take longer', { ...ROUTE, timeout_ms: 900_000 }],
  ])(
    'passes to another process when the claim of a dead process lapses, five seconds after %s',
    async (_time, route) => {
      const fleet = await halfOpenFleet(2);
      expect(await fleet.time.until(fleet.breaker(0).admit(route, CALLER))).toMatchObject({ allowed: true });
      await fleet.time.advance(64_999);
      expect(await fleet.round({})).toEqual(['skipped', 'skipped']);
      await fleet.time.advance(1);
      expect([...(await fleet.round({}))].sort()).toEqual(['completed', 'skipped']);
      expect(stateIn(fleet)).toBe('closed');
    },
  );

  it('neither ends the next probe nor opens the circuit that it closed, once its claim has expired', async () => {
    const fleet = await halfOpenFleet(2);
    const lapsed = await permitOf(fleet);
    await fleet.time.advance(65_000);
    const next = await permitOf(fleet, 1);
    fleet.breaker(0).failed(DEAD, lapsed);
    await fleet.breaker(0).flush();
    expect(ownCircuit(fleet).probe).toBe(next.probe?.id);
    fleet.breaker(1).succeeded(next);
    await fleet.breaker(1).flush();
    fleet.breaker(0).failed(DEAD, lapsed);
    await fleet.breaker(0).flush();
    expect(stateIn(fleet)).toBe('closed');
  });

  it.each([
    ['a failed call', DEAD, 'shut'],
    ['a call out of time', new UpstreamFailure('deadline'), 'half-open'],
    ['a conflict', new UpstreamFailure('status', { status: 409 }), 'half-open'],
    ['a request that the route refused', new UpstreamFailure('status', { retryable: false }), 'closed'],
    ['a route that refuses calls for now', new UpstreamFailure('status', { status: 429 }), 'shut'],
  ])('determines the state of the circuit by its result: %s', async (_, failure, state) => {
    const fleet = await halfOpenFleet(1);
    const { writes } = fleet.memory;
    await fleet.time.until(fleet.call(0, { failure }));
    expect(stateIn(fleet)).toBe(state);
    expect(ownCircuit(fleet).probe).toBeUndefined();
    // A claim and its end, and what other accounts are to know of it.
    expect(fleet.memory.writes - writes).toBeLessThanOrEqual(3);
  });

  it('becomes available again if its call ended without a result of the route', async () => {
    const fleet = await halfOpenFleet(1);
    fleet.breaker(0).abandoned(await permitOf(fleet));
    await fleet.breaker(0).flush();
    expect(stateIn(fleet)).toBe('half-open');
  });
});

it('calls that started before the opening and hang do not open the circuit after it has closed', async () => {
  const fleet = new Fleet(2);
  const hung = Array.from({ length: 20 }, () => fleet.call(0, { failure: DEAD, takesMs: 60_000 }));
  await fleet.time.advance(1_000);
  for (let call = 0; call < 5; call += 1) await fleet.time.until(fleet.call(1, { failure: DEAD }));
  await fleet.time.advance(15_000);
  expect(await fleet.time.until(fleet.call(1, {}))).toBe('completed');
  await fleet.time.until(Promise.all(hung));
  expect(stateIn(fleet)).toBe('closed');
  expect(Object.keys(ownCircuit(fleet)).filter((name) => /\d/.test(name))).toEqual([]);
  expect(fleet.openings).toBe(1);
});

describe('a failure', () => {
  const status = (code: number, details: object = {}) =>
    new UpstreamFailure('status', { status: code, ...details });

  it.each([
    ['connection', DEAD],
    ['timeout', new UpstreamFailure('timeout')],
    ['interrupted', new UpstreamFailure('interrupted')],
    ...[401, 404].map((code) => [`status ${code}`, status(code)] as const),
  ])('counts if its kind is %s', async (_, failure) => {
    const fleet = new Fleet(1);
    for (let call = 0; call < 10; call += 1) await fleet.time.until(fleet.call(0, { failure }));
    expect(fleet).toMatchObject({ tries: 5, openings: 1 });
  });

  it.each([
    ['a caller’s fault', status(400, { retryable: false })],
    ['a conflict', status(409)],
    ['the call’s own deadline', new UpstreamFailure('deadline')],
  ])('never opens a circuit and causes no write if it is %s', async (_, failure) => {
    const fleet = new Fleet(1);
    for (let call = 0; call < 50; call += 1) await fleet.time.until(fleet.call(0, { failure }));
    expect(fleet).toMatchObject({ tries: 50, openings: 0, events: [] });
    expect(fleet.memory.writes).toBe(0);
  });

  it('turns a call that had succeeded into a failed one if it occurs within a response', async () => {
    const fleet = new Fleet(1);
    const breaker = fleet.breaker(0);
    // Of three streams two break; counted as successes too they would be fewer than half.
    for (let call = 0; call < 30; call += 1) {
      const pass = await breaker.admit(ROUTE, CALLER);
      if (!pass.allowed) break;
      const usedTier = breaker.succeeded(pass);
      await fleet.time.advance(100);
      if (call % 3 !== 0) breaker.broke(new UpstreamFailure('interrupted'), usedTier);
      await breaker.flush();
    }
    expect(fleet.openings).toBe(1);
  });

  it('counts within the response that closed the circuit, but does not open it alone', async () => {
    const fleet = await halfOpenFleet(1);
    const breaker = fleet.breaker(0);
    const pass = await permitOf(fleet);
    await fleet.time.advance(500);
    const usedTier = breaker.succeeded(pass);
    await fleet.time.advance(500);
    breaker.broke(new UpstreamFailure('interrupted'), usedTier);
    await breaker.flush();
    expect(stateIn(fleet)).toBe('closed');
    const counts = Object.entries(ownCircuit(fleet)).filter(([name]) => /^[fs]\d/.test(name));
    expect(counts.map(([, count]) => count)).toEqual([1, 0]);
  });
});

describe('a route that returns 429', () => {
  const limited = (retryAfterSeconds?: number) =>
    new UpstreamFailure('status', { status: 429, retryAfterSeconds });

  it('receives no calls from any process for the period that it reports, and then serves again', async () => {
    const fleet = new Fleet(3);
    await fleet.round({});
    await fleet.time.until(fleet.call(0, { failure: limited(20) }));
    await fleet.time.advance(2_000);
    expect(await fleet.round({})).toEqual(['skipped', 'skipped', 'skipped']);
    expect(await fleet.breaker(1).admit(ROUTE, CALLER)).toEqual({ allowed: false, retryAfterSeconds: 18 });
    await fleet.time.advance(18_000);
    expect(await fleet.round({})).toEqual(['completed', 'completed', 'completed']);
    expect(fleet).toMatchObject({ openings: 0, probes: 0, events: [] });
  });

  it('costs no write in a process that has it cached', async () => {
    const fleet = new Fleet(1);
    const passes = await Promise.all(Array.from({ length: 3 }, () => permitOf(fleet)));
    for (const pass of passes) {
      fleet.breaker(0).failed(limited(), pass);
      await fleet.breaker(0).flush();
    }
    expect(fleet.memory.writes).toBe(1);
    expect(await fleet.breaker(0).admit(ROUTE, CALLER)).toEqual({ allowed: false, retryAfterSeconds: 5 });
  });
});

describe('a store that does not work', () => {
  type Store = BreakerDependencies['store'];
  const broken = (fail: <T>() => Promise<T>, work: Partial<Store> = {}): Store => ({
    read: () => fail(),
    write: () => fail(),
    ...work,
  });
  const failing = <T>() => Promise.reject<T>(new Error('the store fails'));
  const hanging = <T>() => new Promise<T>(() => {});

  it('fails no call and opens no circuit, and is logged once', async () => {
    const fleet = new Fleet(1, () => broken(failing));
    for (let round = 0; round < 20; round += 1) await fleet.round({ failure: DEAD });
    expect(fleet.tries).toBe(20);
    expect(fleet.log).toEqual(['circuits not read', 'circuit not written']);
  });

  it('delays a call with a failed route by one second, and a probe by two, if the store never responds', async () => {
    const fleet = await halfOpenFleet(1);
    const took = async (outcome: { failure?: UpstreamFailure }) => {
      const startMs = fleet.time.clock();
      const result = await fleet.time.until(fleet.call(0, outcome));
      return [result, fleet.time.clock() - startMs];
    };
    fleet.memory.write = hanging;
    expect(await took({})).toEqual(['completed', 2_000]);
    const other = new Fleet(1, () => broken(hanging));
    await other.time.until(other.call(0, {}));
    const startMs = other.time.clock();
    expect(await other.time.until(other.call(0, { failure: DEAD }))).toBe('failed');
    expect(other.time.clock() - startMs).toBe(1_000);
  });

  it('delays only the first call if it fails slowly, and receives a read every two seconds', async () => {
    let readCount = 0;
    const fleet = new Fleet(1, (time) =>
      broken(failing, {
        read: async () => {
          readCount += 1;
          await time.sleep(3_000);
          return failing();
        },
      }),
    );
    await fleet.time.until(fleet.call(0, {}));
    for (let second = 0; second < 20; second += 1) {
      await fleet.time.advance(1_000);
      const startMs = fleet.time.clock();
      await fleet.time.until(fleet.breaker(0).refresh([ROUTE], ACCOUNT));
      expect(fleet.time.clock()).toBe(startMs);
    }
    expect(readCount).toBeLessThanOrEqual(11);
  });
});

it('the breaker reads the circuits of the call’s own routes and account in one request', async () => {
  const store = new MemoryCircuits();
  const fleet = new Fleet(1, () => store);
  const requests: (readonly string[])[] = [];
  const read = store.read.bind(store);
  store.read = (keys) => {
    requests.push(keys);
    return read(keys);
  };
  await fleet.breaker(0).refresh([ROUTE, routeOf('next')], ACCOUNT);
  const account = accountHash(ACCOUNT);
  expect(requests).toEqual([[ROUTE.id, `${ROUTE.id}~${account}`, 'next', `next~${account}`]]);
});
