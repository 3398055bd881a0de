import { describe, expect, it } from '@jest/globals';
import { SimulatedHost } from '../../testing/leases/history.ts';
import { World } from '../../testing/leases/world.ts';
import { RETURN_MS } from '../lease-times.ts';

const START_MS = Date.UTC(2026, 6, 15, 12, 0, 5);
const SMALL = { bound: 10n, cost: 10n, tokens: 1, usedTokens: 1, durationMs: 30 };

describe('a call that needs the credit that another key of its process has in advance', () => {
  it('passes at once, whenever it arrives between two ticks', async () => {
    const waits: number[] = [];
    for (let arrivalMs = 2_000; arrivalMs < 2_750; arrivalMs += 50) {
      const world = new World(arrivalMs, START_MS, 0);
      const { simulation } = world;
      world.addAccount('acc', 100_000n, 1);
      for (const keyId of ['acc/busy', 'acc/rare']) world.addKey('acc', keyId, { rpm: 100_000 });
      const host = new SimulatedHost(world, 'host');
      const call = (atMs: number, planned: Parameters<SimulatedHost['call']>[0]) =>
        simulation.at(START_MS + atMs, () => {
          host.call(planned, 0).catch((failure: unknown) => {
            simulation.failure ??= failure;
          });
        });
      for (let atMs = 0; atMs < arrivalMs + 1_000; atMs += 25) call(atMs, { ...SMALL, keyId: 'acc/busy' });
      // All but the cost of the calls before it, and of twenty calls after it: less than the slack of the busy key.
      const bound = 100_000n - 10n * BigInt(arrivalMs / 25 + 20);
      call(arrivalMs, { ...SMALL, keyId: 'acc/rare', bound, cost: 0n });
      await simulation.run(START_MS + arrivalMs + 10_000);
      const rare = [...world.calls.values()].filter(({ keyId }) => keyId === 'acc/rare');
      expect(rare).toHaveLength(1);
      waits.push(...rare.map(({ waitedMs }) => waitedMs));
    }
    expect(Math.max(...waits)).toBeLessThan(RETURN_MS / 4);
  });
});
