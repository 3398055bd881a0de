/** The list calls of Stripe's API (Stripe API reference, Pagination; List all Checkout Sessions, refunds, disputes). */
import * as z from 'zod';
import { SandboxError } from './errors.ts';
import { readForm } from './form.ts';

const seconds = z
  .string()
  .regex(/^\d{1,12}$/)
  .transform(Number);

/** Stripe rejects parameters that it does not know. */
const listRequest = z.strictObject({
  limit: z
    .string()
    .regex(/^\d{1,3}$/)
    .transform(Number)
    .pipe(z.int().min(1).max(100))
    .default(10),
  starting_after: z.string().optional(),
  created: z.strictObject({ gte: seconds }).default({ gte: 0 }),
  status: z.enum(['open', 'complete', 'expired']).optional(),
  expand: z.strictObject({ 0: z.literal('data.payment_intent') }).optional(),
});

export interface ListedRecord {
  readonly id: string;
  readonly created: number;
  readonly status: string | null;
  readonly payment_intent: string | null;
}

export interface ListCall {
  readonly url: string;
  readonly query: string;
  /** Sessions alone have it. */
  readonly hasStatus: boolean;
  /** Returns a payment with its fields, if the key may read payments. */
  readonly expand: (payment: string) => object;
}

/** Returns one page, newest first. */
export function listPage(
  records: readonly ListedRecord[],
  { url, query, hasStatus, expand }: ListCall,
): object {
  const result = listRequest.safeParse({ ...readForm(query) });
  if (!result.success) throw new SandboxError(400, z.prettifyError(result.error), 'parameter_invalid');
  const { limit, starting_after: after, created, status, expand: expanded } = result.data;
  if (status !== undefined && !hasStatus)
    throw new SandboxError(400, 'Received unknown parameter: status', 'parameter_unknown');
  // Records are in the sequence of their creation, several of them within a second.
  const newest = records.toReversed();
  const cursor = newest.findIndex(({ id }) => id === after);
  if (after !== undefined && cursor === -1)
    throw new SandboxError(400, `No such object: '${after}'`, 'resource_missing');
  const rest = newest
    .slice(cursor + 1)
    .filter((record) => record.created >= created.gte && (status === undefined || record.status === status));
  const data = rest.slice(0, limit).map((record) => {
    const { payment_intent: payment } = record;
    return expanded === undefined || payment === null
      ? record
      : { ...record, payment_intent: expand(payment) };
  });
  return { object: 'list', url, has_more: rest.length > limit, data };
}
