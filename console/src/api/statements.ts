/** The statement of credit for a span of UTC days: opening balance + lines = closing balance. */
import { useQuery } from '@tanstack/react-query';
import { call, withQuery } from './client.ts';
import { type DateSpan, secondsOf } from './day-span.ts';
import { queryClient } from './queries.ts';
import type * as Api from './types.ts';

interface StatementLine {
  readonly name: string;
  readonly amount: bigint;
}

export interface StatementOfSpan {
  readonly opening: bigint;
  /** Without lines of 0. */
  readonly lines: readonly StatementLine[];
  readonly closing: bigint;
}

/** The statement of credit, with its purchases, subscription charges and refunds one by one. */
export type CreditStatement = StatementOfSpan &
  Pick<NonNullable<Api.Balance['statement']>, 'charges' | 'charges_omitted'>;

export type ChargeBody = CreditStatement['charges'][number];

export const REFRESH_MS = 15_000;

const CREDIT_LINES = [
  ['top_ups', 'Payments'],
  ['grants', 'Granted credit'],
  ['transfers', 'Earnings that became credit'],
  ['purchase_refunds', 'Refunds of purchases'],
  ['purchases', 'Purchases'],
  ['refunds', 'Refunds and disputes of payments'],
  ['usage', 'Usage'],
] as const satisfies readonly (readonly [keyof NonNullable<Api.Balance['statement']>, string])[];

export const statementPath = ({ from, to }: DateSpan, format?: 'csv'): string =>
  withQuery('/api/v1/credits', { start: secondsOf(from), end: secondsOf(to), format });

export const useCreditStatement = ({ from, to }: DateSpan) =>
  useQuery({
    queryKey: ['balance', 'statement', from, to],
    refetchInterval: REFRESH_MS,
    queryFn: async (): Promise<CreditStatement> => {
      const { statement, ...balance } = await call<Api.Balance>(statementPath({ from, to }));
      if (statement === undefined) throw new Error('The service returned no statement.');
      // Both are as of one instant: the page shows the balance that the statement ends with.
      queryClient.setQueryData(['balance'], balance);
      const lines = CREDIT_LINES.map(([field, name]) => ({ name, amount: statement[field] }));
      return { ...statement, lines: lines.filter(({ amount }) => amount !== 0n) };
    },
  });
