import { describe, expect, it } from '@jest/globals';
import type { DueResult } from '../lambdas/marketplace/core/due.ts';
import { MARKET_COMMANDS } from './market-commands.ts';
import type { Operator } from './operator.ts';

const DUE = { matured: 2, held: 1, returned: 0, renewed: 0, unpaid: 0, ended: 0, builds: 0, failed: 0 };

function run(due: Partial<DueResult>) {
  const payouts = { payoutsStarted: 1, payoutsAdvanced: 3, latestPayoutSeconds: 7 };
  const market = {
    processDue: async () => ({ ...DUE, heldAmount: 8_000_000_000n, oldestSeconds: 60, ...payouts, ...due }),
  };
  return MARKET_COMMANDS['market run']?.run({ market } as unknown as Operator, []);
}

describe('market run', () => {
  it('prints the items and the payouts that it has processed', async () => {
    const outcome = await run({});
    expect(JSON.parse(JSON.stringify(outcome))).toEqual({
      exitCode: 0,
      output: {
        ...DUE,
        held_amount: 8,
        oldest_due_seconds: 60,
        payouts: { started: 1, advanced: 3, late_seconds: 7 },
      },
    });
  });

  it('exits with 1 if an item failed', async () => {
    expect(await run({ failed: 1 })).toMatchObject({ exitCode: 1 });
  });
});

describe('seller maturity', () => {
  it.each(['181', '1.5', 'week'])('rejects days that no seller has: %s', async (days) => {
    const command = MARKET_COMMANDS['seller maturity']?.run({ market: {} } as Operator, [
      '--account',
      'acc_1',
      '--days',
      days,
    ]);
    await expect(command).rejects.toThrow('--days must be a whole number from 0 to 180');
  });
});
