/** The body of `POST /api/create-order`. */
import * as z from 'zod';
import { MAX_AMOUNT_LENGTH, type NanoUsd, parseUsd } from '../../core/money.ts';

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

export const createOrderRequest = z.object({ amount, currency: z.literal('USD') });
