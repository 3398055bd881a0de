/** The body and the query of the requests about orders. */
import * as z from 'zod';
import { ulidPageQuery } from '../api/paging.ts';
import { MAX_AMOUNT_LENGTH, NANO_PER_CENT, type NanoUsd, parseUsd } from '../money.ts';

/** What the payment provider charges at least (Stripe documentation, minimum charge amounts). */
const LEAST: NanoUsd = 500_000_000n;

/** A larger payment is better agreed upon with a person. */
const MOST: NanoUsd = 10_000_000_000_000n;

const amount = z
  .union([z.number(), z.string().max(MAX_AMOUNT_LENGTH)])
  .transform((value) => parseUsd(value))
  .refine(
    (nano): nano is NanoUsd =>
      nano !== undefined && nano >= LEAST && nano <= MOST && nano % NANO_PER_CENT === 0n,
    {
      error: 'must be an amount of USD from 0.5 to 10000 with at most 2 decimal places',
    },
  );

/** The body of `POST /api/create-order`. */
export const createOrderRequest = z.object({ amount, currency: z.literal('USD') });

/** The query of `GET /api/orders`. */
export const ordersQuery = ulidPageQuery('ord');
