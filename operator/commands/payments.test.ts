import { describe, expect, it } from '@jest/globals';
import type { Reconciliation } from '../../lambdas/payments/core/reconciliation.ts';
import type { Operator } from '../operator.ts';
import { RECONCILE_COMMAND } from './payments.ts';

function run(result: Partial<Reconciliation> | undefined, ...args: readonly string[]) {
  const days: number[] = [];
  const payments = {
    async reconcile(count: number) {
      days.push(count);
      const exact = { compared: 3, applied: 1, differing: 0, differences: [], complete: true };
      return result === undefined ? undefined : { ...exact, ...result };
    },
  };
  const operator = { payments } as unknown as Operator;
  return RECONCILE_COMMAND.run(operator, args).then((outcome) => ({ ...outcome, days }));
}

const DIFFERENCE = {
  reason: 'paid_twice',
  order: { orderId: 'ord_1', accountId: 'acc_1' },
  id: 'cs_1',
} as const;

describe('payments reconcile', () => {
  it('exits with 0 if everything is equal or applied, or if there is no provider', async () => {
    expect(await run({})).toMatchObject({
      exitCode: 0,
      days: [7],
      output: { configured: true, compared: 3, applied: 1, differing: 0, complete: true },
    });
    expect(await run(undefined, '--days', '120')).toMatchObject({
      exitCode: 0,
      days: [120],
      output: { configured: false },
    });
  });

  it('exits with 1 and names the orders if something differs, and if a list was not read to its end', async () => {
    expect(await run({ differing: 1, differences: [DIFFERENCE] })).toMatchObject({
      exitCode: 1,
      output: {
        differences: [{ reason: 'paid_twice', order_id: 'ord_1', account_id: 'acc_1', provider_id: 'cs_1' }],
      },
    });
    expect(await run({ complete: false })).toMatchObject({ exitCode: 1 });
  });

  it.each(['0', '121', '1.5', 'week'])('rejects a time that no list has: %s days', async (days) => {
    await expect(run({}, '--days', days)).rejects.toThrow('--days must be');
  });
});
