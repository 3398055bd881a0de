import { describe, expect } from '@jest/globals';
import { it } from '../../../../tools/test-kit/search.ts';
import { drawsOf } from '../../../../tools/test-kit/seed.ts';
import { DEAD, Fleet, ROUTE } from '../../testing/circuit/fleet.ts';
import { UpstreamFailure } from '../upstream/provider.ts';
import { accountHash } from './breaker.ts';
import { type Circuit, COOLDOWN_MS, stateOf } from './circuit.ts';

const PROCESSES = 4;

const status = (code: number, retryAfterSeconds?: number) =>
  new UpstreamFailure('status', { status: code, retryAfterSeconds });
const limited = (retryAfterSeconds?: number) => status(429, retryAfterSeconds);

const sharedState = (fleet: Fleet) =>
  stateOf(fleet.memory.of(ROUTE.id), accountHash('nobody'), fleet.time.clock()).kind;

/** Calls of an account, at all processes in turn; gives what became of the last. */
async function calls(
  fleet: Fleet,
  count: number,
  account: string,
  failure?: UpstreamFailure,
  isNew?: 'new',
): Promise<string> {
  let last = '';
  for (let callCount = 0; callCount < count; callCount += 1) {
    last = await fleet.time.until(
      fleet.call(callCount % fleet.breakers.length, { failure, account, isNew: isNew === 'new' }),
    );
    await fleet.time.advance(20);
  }
  return last;
}

/** Returns the results that an account meets at the processes, once each process knows the current state. */
async function expectCounts(fleet: Fleet, account: string) {
  await fleet.time.advance(2_000);
  await fleet.round({ account: `${account} looks` });
  return [...new Set(await fleet.round({ account }))];
}

/** A route of which three accounts know that it is dead, past its cooldown. */
async function halfOpenFleet(): Promise<Fleet> {
  const fleet = new Fleet(PROCESSES);
  for (let call = 0; call < 15; call += 1) await calls(fleet, 1, `acc_${call % 3}`, DEAD);
  expect(sharedState(fleet)).toBe('shut');
  await fleet.time.advance(COOLDOWN_MS);
  expect(sharedState(fleet)).toBe('half-open');
  return fleet;
}

describe('a route that fails one account', () => {
  it.each([
    ['forbids its requests', status(403)],
    ['does not find what they name', status(404)],
    ['breaks at them', status(500)],
    ['is unavailable to them', status(503)],
    ['is slow to their first content', new UpstreamFailure('timeout')],
    ['breaks its answers off', new UpstreamFailure('interrupted')],
    ['closes their connections', DEAD],
  ])('serves every account except the failed one if it %s', async (_, failure) => {
    const fleet = new Fleet(PROCESSES);
    expect(await calls(fleet, 60, 'attacker', failure)).toBe('skipped');
    expect(fleet.tries).toBeLessThanOrEqual(5 + 2 * PROCESSES);
    for (const account of ['one', 'two', 'three'])
      expect(await expectCounts(fleet, account)).toEqual(['completed']);
    expect(await expectCounts(fleet, 'attacker')).toEqual(['skipped']);
  });

  it('serves no account if three accounts have failures that no request can cause', async () => {
    for (const failure of [DEAD, status(500), status(401), new UpstreamFailure('timeout')]) {
      const fleet = new Fleet(PROCESSES);
      for (let call = 0; call < 15; call += 1) await calls(fleet, 1, `acc_${call % 3}`, failure);
      expect(await expectCounts(fleet, 'another')).toEqual(['skipped']);
    }
  });

  it.each([
    ['forbids their requests', status(403)],
    ['does not find what they name', status(404)],
    ['asks them to wait', limited(60)],
  ])('serves every other account if ten accounts fail because it %s', async (_, failure) => {
    const fleet = new Fleet(PROCESSES);
    for (let call = 0; call < 100; call += 1) await calls(fleet, 1, `acc_${call % 10}`, failure);
    expect(await expectCounts(fleet, 'another')).toEqual(['completed']);
    expect(sharedState(fleet)).toBe('closed');
  });

  it('serves every other account, whatever the failures, if the ten failed accounts have spent less than a dollar', async () => {
    for (const failure of [DEAD, status(500), status(403), limited(60), new UpstreamFailure('timeout')]) {
      const fleet = new Fleet(PROCESSES);
      for (let call = 0; call < 100; call += 1) await calls(fleet, 1, `acc_${call % 10}`, failure, 'new');
      expect(await expectCounts(fleet, 'another')).toEqual(['completed']);
      expect(sharedState(fleet)).toBe('closed');
    }
  });

  it.each([409, 413, 415, 422, 451])(
    'stays in use for every account if it responds to their requests with %s',
    async (code) => {
      const fleet = new Fleet(PROCESSES);
      for (let account = 0; account < 5; account += 1) {
        expect(await calls(fleet, 20, `acc_${account}`, status(code))).toBe('failed');
      }
      expect(fleet.memory.writes).toBe(0);
    },
  );

  it('stays available to the other accounts if one in fifty of their calls fails', async () => {
    const processes = 10;
    const fleet = new Fleet(processes);
    const random = drawsOf('calls of many accounts');
    let isOver = false;
    const skipped: string[] = [];
    const run = async (process: number, account: string, share: number) => {
      while (!isOver) {
        const failure = random() < share ? status(500) : undefined;
        const result = await fleet.call(process, { failure, takesMs: 200 + 200 * random(), account });
        if (result === 'skipped') skipped.push(account);
        await fleet.time.sleep(50 + 200 * random());
      }
    };
    for (let process = 0; process < processes; process += 1) {
      void run(process, `acc_${process}`, 0.02);
      void run(process, 'attacker', 1);
    }
    await fleet.time.advance(30_000);
    isOver = true;
    expect(skipped.filter((account) => account === 'attacker').length).toBeGreaterThan(300);
    expect(skipped.filter((account) => account !== 'attacker')).toEqual([]);
  });
});

describe('a route that returns 429', () => {
  it('loses only the calls of the one or two limited accounts, for at most a minute', async () => {
    const fleet = new Fleet(PROCESSES);
    expect(await calls(fleet, 1, 'attacker', limited(60))).toBe('failed');
    expect(await expectCounts(fleet, 'attacker')).toEqual(['skipped']);
    expect(await calls(fleet, 50, 'conspirator', limited(999_999))).toBe('skipped');
    expect(await expectCounts(fleet, 'bystander')).toEqual(['completed']);
    await fleet.time.advance(60_000);
    expect(await expectCounts(fleet, 'attacker')).toEqual(['completed']);
    expect(await expectCounts(fleet, 'conspirator')).toEqual(['completed']);
    expect(fleet.openings).toBe(0);
  });
});

describe('the probe of a route that all accounts have left', () => {
  const probe = (fleet: Fleet, account: string, failure?: UpstreamFailure, isNew = false) =>
    fleet.time.until(fleet.call(0, { failure, account, isNew }));

  it.each([
    ['forbidden', status(403)],
    ['not found', status(404)],
    ['slow', new UpstreamFailure('timeout')],
    ['refused for now', limited()],
    ['out of its own time', new UpstreamFailure('deadline')],
  ])(
    'changes nothing if its request is %s, and passes to another account two seconds later',
    async (_, failure) => {
      const fleet = await halfOpenFleet();
      expect(await probe(fleet, 'attacker', failure)).toBe('failed');
      expect(await probe(fleet, 'bystander')).toBe('skipped');
      await fleet.time.advance(2_000);
      expect(await probe(fleet, 'attacker', failure)).toBe('skipped');
      expect(await probe(fleet, 'bystander')).toBe('completed');
      expect(sharedState(fleet)).toBe('closed');
      expect(await expectCounts(fleet, 'another')).toEqual(['completed']);
    },
  );

  it('opens the circuit again if the route breaks, and passes to another account next', async () => {
    const fleet = await halfOpenFleet();
    expect(await probe(fleet, 'attacker', status(500))).toBe('failed');
    await fleet.time.advance(COOLDOWN_MS);
    expect(await probe(fleet, 'attacker', status(500))).toBe('skipped');
    expect(await probe(fleet, 'conspirator', status(500))).toBe('failed');
    await fleet.time.advance(COOLDOWN_MS);
    for (const account of ['attacker', 'conspirator']) expect(await probe(fleet, account)).toBe('skipped');
    expect(await probe(fleet, 'bystander')).toBe('completed');
    expect(sharedState(fleet)).toBe('closed');
  });

  it('changes nothing if it fails for an account that has spent less than a dollar', async () => {
    const fleet = await halfOpenFleet();
    expect(await probe(fleet, 'attacker', DEAD, true)).toBe('failed');
    await fleet.time.advance(2_000);
    expect(await probe(fleet, 'attacker', DEAD, true)).toBe('skipped');
    expect(await probe(fleet, 'bystander')).toBe('completed');
    expect(sharedState(fleet)).toBe('closed');
  });

  it('happens at most once in two seconds, even if the route forbids the request of each account', async () => {
    const fleet = await halfOpenFleet();
    const { tries } = fleet;
    for (let call = 0; call < 150; call += 1) {
      await probe(fleet, `acc_${call % 30}`, status(403));
      await fleet.time.advance(100);
    }
    expect(fleet.tries - tries).toBeLessThanOrEqual(15_000 / 2_000 + 1);
  });

  it('returns to the same account if no other account calls for another cooldown', async () => {
    const fleet = await halfOpenFleet();
    expect(await probe(fleet, 'only', DEAD)).toBe('failed');
    await fleet.time.advance(2 * COOLDOWN_MS - 1);
    expect(await probe(fleet, 'only')).toBe('skipped');
    await fleet.time.advance(1);
    expect(await probe(fleet, 'only')).toBe('completed');
  });

  it('restores the route also for accounts that had left it on their own, if it succeeds', async () => {
    const fleet = await halfOpenFleet();
    expect(await probe(fleet, 'acc_0')).toBe('completed');
    for (const account of ['acc_0', 'acc_1', 'acc_2']) expect(await probe(fleet, account)).toBe('completed');
    expect(await expectCounts(fleet, 'acc_1')).toEqual(['completed']);
  });
});

describe('the circuits of a route', () => {
  it('stay within a bounded size, whoever fails and however often, and name no account', async () => {
    const fleet = new Fleet(PROCESSES);
    for (let call = 0; call < 500; call += 1) {
      const failure = [DEAD, status(403), status(500), new UpstreamFailure('timeout')][call % 4];
      await calls(fleet, 1, `acc_${call % 61}`, failure);
      await calls(fleet, 3, 'bystander');
    }
    const { circuits, history } = fleet.memory;
    expect(circuits.size).toBe(1 + 61);
    const largest = Math.max(...history.map(({ key, after }) => sizeOf(key, after)));
    // A write of one costs a unit.
    expect(largest).toBeLessThan(1_024);
    expect(JSON.stringify([...circuits.keys()])).not.toContain('acc_');
    expect(accountHash('acc_1')).toMatch(/^[\w-]{6}$/);
  });
});

/** Bytes of an item with the circuit: DynamoDB takes a byte more for each member, and 3 for each set. */
const sizeOf = (key: string, circuit: Circuit): number =>
  Object.entries(circuit).reduce((size, [name, value]) => {
    const bytes = (part: unknown) => (typeof part === 'number' ? 9 : String(part).length);
    const members =
      value instanceof Set ? [...value].reduce<number>((sum, part) => sum + 1 + bytes(part), 3) : 0;
    return size + name.length + (value instanceof Set ? members : bytes(value));
  }, 2 * key.length);
