import { describe, expect } from '@jest/globals';
import { it } from '../../../../tools/test-kit/search.ts';
import { seedOf } from '../../../../tools/test-kit/seed.ts';
import { rounds } from '../../../../tools/test-kit/thorough.ts';
import { playHistory, playRace } from '../../testing/leases/history.ts';

const HISTORIES = rounds(80);
const RACES = rounds(40);

/** Other parts of a run use the machine as well. */
const MAX_MS = 600_000;

describe('the leases of a service whose requests are lost, late and repeated', () => {
  it(
    'break no law of the ledger, whenever processes die, pause, or have clocks that differ',
    async () => {
      const first = seedOf('lease histories') >>> 8;
      const totals = { admitted: 0, recorded: 0, lost: 0 };
      for (let at = 0; at < HISTORIES; at += 1) {
        const { world, failure } = await playHistory(first + at);
        if (failure !== undefined)
          throw new Error(`history ${first + at}: ${String(failure)}`, { cause: failure });
        totals.admitted += world.counts.admitted;
        totals.recorded += world.counts.recorded;
        totals.lost += world.counts.lost;
      }
      // Histories in which nothing happens prove nothing.
      expect(totals.admitted).toBeGreaterThan(HISTORIES * 5);
      expect(totals.recorded).toBeGreaterThan(HISTORIES * 4);
      expect(totals.lost).toBeGreaterThan(0);
    },
    MAX_MS,
  );

  it(
    'admit exactly as many calls as a wallet, a cap or a limit affords, and hold nothing two seconds after the last',
    async () => {
      const first = seedOf('lease races') >>> 8;
      for (let at = 0; at < RACES; at += 1) {
        const { failure } = await playRace(first + at);
        if (failure !== undefined)
          throw new Error(`race ${first + at}: ${String(failure)}`, { cause: failure });
      }
    },
    MAX_MS,
  );
});
