/** `payments reconcile`: compares the orders with the payment provider, and applies what no event has brought. */
import { PAYMENT_DAYS } from '../../lambdas/payments/core/reconciliation.ts';
import { type Command, ok, options } from './arguments.ts';

/** Refunds and disputes are listed for that long anyway. */
const MAX_DAYS = 120;

function daysOf(value: string): number {
  const days = Number(value);
  if (!Number.isInteger(days) || days < 1 || days > MAX_DAYS)
    throw new Error(`--days must be a whole number from 1 to ${MAX_DAYS}`);
  return days;
}

export const RECONCILE_COMMAND: Command = {
  usage: '[--days N]',
  async run(operator, args) {
    const { days = String(PAYMENT_DAYS) } = options(args, [], ['days']);
    const result = await operator.payments.reconcile(daysOf(days));
    if (result === undefined)
      return {
        ...ok({ configured: false }),
        text: 'no key of a payment provider is stored, so that there is nothing to compare',
      };
    const { differing, differences, ...counts } = result;
    const output = {
      configured: true,
      ...counts,
      differing,
      differences: differences.map(({ reason, order, id }) => ({
        reason,
        order_id: order.orderId,
        account_id: order.accountId,
        provider_id: id ?? null,
      })),
    };
    return { output, exitCode: differing === 0 && counts.complete ? 0 : 1 };
  },
};
