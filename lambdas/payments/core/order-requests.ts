/** The body and the query of the requests about orders. */
import * as z from 'zod';
import { usdAmount } from '../../platform/core/api/amount.ts';
import { ulidPageQuery } from '../../platform/core/api/paging.ts';
import { NANO_PER_CENT, type NanoUsd } from '../../platform/core/money.ts';

/** The minimum charge of the payment provider (Stripe documentation, minimum charge amounts). */
const MIN_AMOUNT: NanoUsd = 500_000_000n;

/** A larger payment is better agreed upon with a person. */
const MAX_AMOUNT: NanoUsd = 10_000_000_000_000n;

const amount = usdAmount({
  min: MIN_AMOUNT,
  max: MAX_AMOUNT,
  step: NANO_PER_CENT,
  pattern: '^(0[.][5-9][0-9]?|[1-9][0-9]{0,3}([.][0-9]{1,2})?|10000([.]00?)?)$',
});

/** The body of `POST /api/create-order`. */
export const createOrderRequest = z.object({ amount, currency: z.literal('USD').default('USD') });

/** The query of `GET /api/orders`. */
export const ordersQuery = ulidPageQuery('ord');
