/** The body and the query of the requests about orders. */
import * as z from 'zod';
import { MAX_AMOUNT_LENGTH, type NanoUsd, parseUsd } from '../money.ts';

/** What the payment provider charges at least (Stripe documentation, minimum charge amounts). */
const LEAST: NanoUsd = 500_000_000n;

/** A larger payment is better agreed upon with a person. */
const MOST: NanoUsd = 10_000_000_000_000n;

/** Payments are in whole cents. */
const CENT: NanoUsd = 10_000_000n;

const amount = z
  .union([z.number(), z.string().max(MAX_AMOUNT_LENGTH)])
  .transform((value) => parseUsd(value))
  .refine(
    (nano): nano is NanoUsd => nano !== undefined && nano >= LEAST && nano <= MOST && nano % CENT === 0n,
    {
      error: 'must be an amount of USD from 0.5 to 10000 with at most 2 decimal places',
    },
  );

/** The body of `POST /api/create-order`. */
export const createOrderRequest = z.object({ amount, currency: z.literal('USD') });

/** A cursor is the order it continues after. */
const cursor = z
  .string()
  .transform((value) => Buffer.from(value, 'base64url').toString('latin1'))
  .refine((id) => /^ord_[0-9A-Z]{26}$/.test(id), 'must be the next_cursor of an earlier page');

const limit = z
  .string()
  .regex(/^\d{1,4}$/, 'must be a whole number')
  .transform(Number)
  .refine((count) => count >= 1 && count <= 100, 'must be from 1 to 100');

/** The query of `GET /api/orders`. */
export const ordersQuery = z.object({ limit: limit.default(20), cursor: cursor.optional() });

export const formatCursor = (orderId: string): string => Buffer.from(orderId, 'latin1').toString('base64url');
