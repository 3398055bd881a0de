/** The statement of earnings for a span of UTC days. */
import { useQuery } from '@tanstack/react-query';
import { call, withQuery } from './client.ts';
import { DAY_SECONDS, type DateSpan, secondsOf } from './day-span.ts';
import { useMarket } from './queries.ts';
import { REFRESH_MS, type StatementOfSpan } from './statements.ts';
import type * as Api from './types.ts';

const EARNINGS_LINES: Readonly<Record<string, string>> = {
  sale: 'Sales, less the fee',
  refund: 'Refunds to buyers',
  reversal: 'Reversed sales',
  transfer: 'Became credit',
  payout: 'Payouts',
  payout_failure: 'Payouts that failed',
};

/** Returns the statement of pending and available earnings together, computed backwards from the present ones. */
function earningsStatement(
  earned: bigint,
  transactions: readonly Pick<Api.EarningsTransactionBody, 'type' | 'amount' | 'created'>[],
  { from, to }: DateSpan,
): StatementOfSpan {
  const end = secondsOf(to) + DAY_SECONDS;
  const amounts = new Map<string, bigint>();
  let closing = earned;
  for (const { type, amount, created } of transactions) {
    if (created >= end) closing -= amount;
    else if (created >= secondsOf(from)) amounts.set(type, (amounts.get(type) ?? 0n) + amount);
  }
  const lines = [...amounts].map(([type, amount]) => ({ name: EARNINGS_LINES[type] ?? type, amount }));
  const total = lines.reduce((sum, { amount }) => sum + amount, 0n);
  return { opening: closing - total, lines: lines.filter(({ amount }) => amount !== 0n), closing };
}

/** Reads the earnings, and the transactions since the first day. */
export const useEarningsStatement = (span: DateSpan) =>
  useQuery({
    enabled: useMarket() === true,
    queryKey: ['balance', 'earnings', span.from, span.to],
    refetchInterval: REFRESH_MS,
    queryFn: async (): Promise<StatementOfSpan> => {
      const transactions: Api.EarningsTransactionBody[] = [];
      const start = secondsOf(span.from);
      // Before its transactions: those that come between the two are newer than the earnings.
      const { pending, available } = await call<Api.EarningsBody>('/api/v1/earnings');
      let cursor: string | undefined;
      do {
        const path = withQuery('/api/v1/earnings/transactions', { limit: 100, cursor });
        const page = await call<Api.ApiPage<Api.EarningsTransactionBody>>(path);
        transactions.push(...page.data);
        cursor = page.next_cursor ?? undefined;
      } while (cursor !== undefined && (transactions.at(-1)?.created ?? 0) >= start);
      return earningsStatement(pending + available, transactions, span);
    },
  });
