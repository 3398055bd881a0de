/**
 * The input and the output of the settling workflow for a transcription: counts, names and the hold, but never content.
 */
import * as z from 'zod';
import { KINDS } from '../../../../platform/core/kinds.ts';

const amount = z.string().regex(/^\d+$/);

/** Amounts are nano-dollars as decimal text, because the workflow's JSON has no integers of that size. */
export const settlementOrder = z.object({
  requestId: z.string(),
  accountId: z.string(),
  hold: z.object({
    attempt: z.string().optional(),
    walletId: z.string().optional(),
    keyId: z.string(),
    kind: z.enum(KINDS),
    amount,
    /** Seconds since the epoch. */
    expires: z.int(),
  }),
  charge: z.object({
    windows: z.object({ minute: z.int(), day: z.int(), month: z.int() }),
    repaired: z.int().optional(),
  }),
  model: z.string(),
  route: z.string(),
  /** The lines of the bill. */
  lines: z.array(
    z.object({ item: z.string(), quantity: z.number().min(0), price: amount, per: z.int().min(1) }),
  ),
  catalog: z.string(),
  providerCost: amount.optional(),
  seconds: z.number().min(0),
  estimated: z.boolean(),
});

export type SettlementOrder = z.infer<typeof settlementOrder>;

/** The output of the settling workflow. */
export const settledOrder = z.object({ cost: amount, balance: amount });

export type SettledOrder = z.infer<typeof settledOrder>;
