import { describe, expect, it } from '@jest/globals';
import type { DueResult } from '../../lambdas/marketplace/core/due.ts';
import type { Operator } from '../operator.ts';
import { MARKET_COMMANDS } from './market.ts';

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

describe('sale return', () => {
  it('prints the parties, the amount, and who has returned it and why', async () => {
    const sale = { chargeId: 'pur_1', sellerId: 'acc_s', buyerId: 'acc_b', transactionId: 'txn_1' };
    const market = {
      returnSale: async (charge: string, reason: string) => ({
        ...sale,
        amount: 5_000_000_000n,
        by: `${charge} ${reason}`,
      }),
    };
    const args = ['--charge', 'pur_1', '--reason', ' not delivered '];
    const outcome = await MARKET_COMMANDS['sale return']?.run({ market } as unknown as Operator, args);
    expect(JSON.parse(JSON.stringify(outcome))).toEqual({
      exitCode: 0,
      output: {
        charge: 'pur_1',
        seller: 'acc_s',
        buyer: 'acc_b',
        returned: 5,
        transaction_id: 'txn_1',
        by: 'pur_1 not delivered',
        reason: 'not delivered',
      },
    });
  });

  it('requires a reason', async () => {
    const command = MARKET_COMMANDS['sale return']?.run({} as Operator, [
      '--charge',
      'pur_1',
      '--reason',
      ' ',
    ]);
    await expect(command).rejects.toThrow('--reason must be a line of 1 to 200 characters');
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

describe('the commands of a seller', () => {
  it.each([
    ['seller show', []],
    ['seller pause', []],
    ['seller resume', []],
    ['seller maturity', ['--days', '9']],
  ])('reject an account that does not exist, and change nothing: %s', async (name, more) => {
    const operator = {
      market: {},
      wallet: async (account: string) => {
        throw new Error(`there is no account ${account}`);
      },
    };
    const args = ['--account', 'acc_nope', ...more];
    await expect(MARKET_COMMANDS[name]?.run(operator as unknown as Operator, args)).rejects.toThrow(
      'there is no account acc_nope',
    );
  });
});
