/** The commands of the market: what is due, the comparison with the payment provider, builds, sales and sellers. */
import { buildEntry } from '../../lambdas/marketplace/core/builds/build.ts';
import { usdJson } from '../../lambdas/platform/core/money.ts';
import { type Command, ok, options, reasonOf } from './arguments.ts';

function daysOf(value: string): number {
  const days = Number(value);
  if (!Number.isInteger(days) || days < 0 || days > 180)
    throw new Error('--days must be a whole number from 0 to 180');
  return days;
}

const pauseCommand = (isPaused: boolean): Command => ({
  usage: '--account A',
  async run(operator, args) {
    const { account } = options(args, ['account']);
    await operator.wallet(account);
    await operator.market.pausePayouts(account, isPaused);
    return ok({ account_id: account, paused: isPaused });
  },
});

export const MARKET_COMMANDS: Readonly<Record<string, Command>> = {
  'market run': {
    usage: '',
    async run(operator, args) {
      options(args, []);
      const { heldAmount, oldestSeconds, payoutsStarted, payoutsAdvanced, latestPayoutSeconds, ...counts } =
        await operator.market.processDue();
      const output = {
        ...counts,
        held_amount: usdJson(heldAmount),
        oldest_due_seconds: oldestSeconds,
        payouts: { started: payoutsStarted, advanced: payoutsAdvanced, late_seconds: latestPayoutSeconds },
      };
      return { output, exitCode: counts.failed === 0 ? 0 : 1 };
    },
  },
  'market reconcile': {
    usage: '[--accept]',
    async run(operator, args) {
      const accepts = args.includes('--accept');
      options(
        args.filter((each) => each !== '--accept'),
        [],
      );
      const { transfers, adopted, differences } = await operator.market.reconcilePayouts(accepts);
      const output = {
        transfers,
        adopted,
        differences: differences.map(({ sellerId, id }) => ({ account_id: sellerId, payout_id: id })),
        payouts_resume: differences.length === 0 || accepts,
      };
      return { output, exitCode: differences.length === 0 ? 0 : 1 };
    },
  },
  'build show': {
    usage: '--listing L --build B',
    async run(operator, args) {
      const { listing, build } = options(args, ['listing', 'build']);
      const found = await operator.market.build(listing, build);
      return ok({ ...buildEntry(found), account_id: found.ownerId, scan_requests: found.requests });
    },
  },
  'build rescan': {
    usage: '--listing L --build B',
    async run(operator, args) {
      const { listing, build } = options(args, ['listing', 'build']);
      const isRequested = await operator.market.rescan(listing, build);
      return { output: { build_id: build, requested: isRequested }, exitCode: isRequested ? 0 : 1 };
    },
  },
  'sale return': {
    usage: '--charge C --reason TEXT',
    async run(operator, args) {
      const values = options(args, ['charge', 'reason']);
      const reason = reasonOf(values.reason);
      const { chargeId, sellerId, buyerId, transactionId, amount, by } = await operator.market.returnSale(
        values.charge,
        reason,
      );
      const returned = { returned: usdJson(amount), transaction_id: transactionId, by, reason };
      return ok({ charge: chargeId, seller: sellerId, buyer: buyerId, ...returned });
    },
  },
  'seller show': {
    usage: '--account A',
    async run(operator, args) {
      const { account } = options(args, ['account']);
      await operator.wallet(account);
      const { balance, sold, heldOrReversed, openPayouts, paused, maturityDays } =
        await operator.market.seller(account);
      return ok({
        account_id: account,
        pending: usdJson(balance.pending),
        available: usdJson(balance.available),
        in_transit: usdJson(balance.inTransit),
        paid_out: usdJson(balance.paidOut),
        transferred: usdJson(balance.transferred),
        open_payouts: openPayouts,
        paused,
        maturity_days: maturityDays ?? null,
        sold_30_days: usdJson(sold),
        held_or_reversed_30_days: usdJson(heldOrReversed),
        held_or_reversed_percent: sold === 0n ? 0 : Number((heldOrReversed * 100n) / sold),
      });
    },
  },
  'seller pause': pauseCommand(true),
  'seller resume': pauseCommand(false),
  'seller maturity': {
    usage: '--account A --days N',
    async run(operator, args) {
      const { account, days } = options(args, ['account', 'days']);
      const maturityDays = daysOf(days);
      await operator.wallet(account);
      await operator.market.setMaturity(account, maturityDays);
      return ok({ account_id: account, maturity_days: maturityDays });
    },
  },
};
