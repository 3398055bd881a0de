/** The settling workflow of a transcription: its input is a held call with its outcome, but never content. */
import * as z from 'zod';
import type { HeldCall } from '../../../../ledger/core/covers.ts';
import type { CallOutcome } from '../../../../ledger/core/usage-record.ts';
import { KINDS } from '../../../../platform/core/kinds.ts';
import type { Receipt } from '../../paid-endpoint.ts';

export interface SettlementOrder extends Pick<HeldCall, 'accountId' | 'hold' | 'charge'> {
  readonly outcome: CallOutcome;
}

export interface Settlements {
  /**
   * Settles a call by a workflow that continues if this process crashes. The same order again changes nothing. Throws
   * if it is unknown whether the call is settled.
   */
  settle(order: SettlementOrder): Promise<Receipt>;
}

/** An amount as decimal text, because the workflow's JSON has no integers of that size. */
const amount = z.string().regex(/^\d+$/).transform(BigInt);

/** Reads an order from the JSON of the workflow. */
export const settlementOrder: z.ZodType<SettlementOrder> = z.object({
  accountId: z.string(),
  hold: z.object({
    id: z.string(),
    attempt: z.string().exactOptional(),
    walletId: z.string().exactOptional(),
    keyId: z.string(),
    kind: z.enum(KINDS),
    amount,
    expires: z.int(),
  }),
  charge: z.object({
    windows: z.object({ minute: z.int(), day: z.int(), month: z.int() }),
    repaired: z.int().optional(),
  }),
  outcome: z.object({
    model: z.string(),
    route: z.string(),
    status: z.literal('completed'),
    unit: z.literal('second'),
    inputUnits: z.number().min(0),
    cachedUnits: z.literal(0),
    outputUnits: z.literal(0),
    tokens: z.literal(0),
    estimated: z.boolean(),
    amount,
    lines: z.array(
      z.object({ item: z.string(), quantity: z.number().min(0), price: amount, per: z.int().min(1) }),
    ),
    catalog: z.string(),
    providerCost: amount.optional(),
    attempts: z.int().optional(),
    routeAttempts: z
      .array(
        z.object({
          route: z.string(),
          startMs: z.int(),
          durationMs: z.int(),
          failure: z.string().exactOptional(),
        }),
      )
      .optional(),
    durationMs: z.int().optional(),
    traceparent: z.string().optional(),
  }),
});

/** Writes an order as the JSON of the workflow. */
export const toWorkflowJson = (order: SettlementOrder): string =>
  JSON.stringify(order, (_name, field: unknown) => (typeof field === 'bigint' ? String(field) : field));

/** Reads the output of the workflow. */
export const settledOrder = z.object({ cost: amount, balance: amount });
