import { describe, expect } from '@jest/globals';
import { it } from '../../../../tools/test-kit/search.ts';
import { seedOf } from '../../../../tools/test-kit/seed.ts';
import type { Policy } from '../../../access/core/keys/policy.ts';
import { SimulatedHost } from '../../testing/leases/history.ts';
import { World } from '../../testing/leases/world.ts';
import { FRESH_MS } from '../lease-times.ts';

const KEY_ID = 'acc/key';
const CALL = { keyId: KEY_ID, bound: 10n, cost: 10n, tokens: 5, usedTokens: 5, durationMs: 30 };

/** Early in a minute. */
const START_MS = Date.UTC(2026, 6, 15, 12, 0, 5);
const CHANGED_MS = 990;
/** The calls arrive in steady use, and more rarely after the change: the slack of the leases covers those to come. */
const ARRIVALS_MS = [
  ...Array.from({ length: 25 }, (_, at) => at * 40),
  ...Array.from({ length: 20 }, (_, at) => 1_000 + at * 130),
];
/** Long after the last call has its result. */
const LONGER_MS = 10_000;

/** Changes the policy of a key in steady use. */
async function changeInUse(policy: Policy, count: number) {
  const world = new World(seedOf('changed keys'), START_MS, 0);
  const { simulation, counts } = world;
  world.addAccount('acc', 1_000_000_000n, 1);
  world.addKey('acc', KEY_ID, { rpm: 100_000 });
  const codes = new Set<unknown>();
  const hosts = Array.from({ length: count }, (_, at) => new SimulatedHost(world, `host ${at}`));
  for (const host of hosts) host.onRejected = (failure) => codes.add((failure as { code?: unknown }).code);
  for (const [at, arrivalMs] of ARRIVALS_MS.entries())
    simulation.at(START_MS + arrivalMs, () => {
      hosts[at % count]?.call(CALL, 0).catch((failure: unknown) => {
        simulation.failure ??= failure;
      });
    });
  simulation.at(START_MS + CHANGED_MS, () => world.changePolicy(KEY_ID, policy));
  await simulation.run(START_MS + LONGER_MS);
  return { ...counts, codes: [...codes] };
}

describe.each([1, 3])('a key whose policy changes while leases of %i processes are open', (processes) => {
  it.each<readonly [string, Policy, string]>([
    ['a daily cap of 0', { rpm: 100_000, daily_usd: 0n }, 'daily_usd_exceeded'],
    ['a monthly cap of 0', { rpm: 100_000, monthly_usd: 0n }, 'monthly_usd_exceeded'],
    ['a daily cap below one call', { rpm: 100_000, daily_usd: 9n }, 'daily_usd_exceeded'],
    ['a monthly cap below what was spent', { rpm: 100_000, monthly_usd: 100n }, 'monthly_usd_exceeded'],
    ['fewer requests a minute than were made', { rpm: 10 }, 'requests_per_minute'],
    ['fewer tokens a minute than were used', { rpm: 100_000, tpm: 50 }, 'tokens_per_minute'],
  ])(
    'admits no call that arrives more than a second after the key became %s',
    async (_limit, policy, code) => {
      const { admitted, rejected, codes } = await changeInUse(policy, processes);
      const early = ARRIVALS_MS.filter((ms) => ms <= CHANGED_MS + FRESH_MS);
      expect(admitted + rejected).toBe(ARRIVALS_MS.length);
      expect(admitted).toBeLessThanOrEqual(early.length);
      expect(codes).toEqual([code]);
    },
  );
});
