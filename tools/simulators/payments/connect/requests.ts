/** The requests about connected accounts that the sandbox knows (Stripe API reference). */
import * as z from 'zod';
import { SandboxError } from '../errors.ts';
import type { FormValue } from '../form.ts';

const cents = z
  .string()
  .regex(/^[1-9]\d{0,9}$/)
  .transform(Number);
const metadata = z.record(z.string(), z.string()).default({});
const usd = z.literal('usd');

/** The parameters that the sandbox knows; Stripe rejects unknown ones too. */
export const accountRequest = z.strictObject({
  dashboard: z.literal('express'),
  defaults: z.strictObject({
    responsibilities: z.strictObject({
      fees_collector: z.literal('application'),
      losses_collector: z.literal('application'),
    }),
  }),
  configuration: z.strictObject({
    recipient: z.strictObject({
      capabilities: z.strictObject({
        stripe_balance: z.strictObject({ stripe_transfers: z.strictObject({ requested: z.literal(true) }) }),
      }),
    }),
  }),
  identity: z.strictObject({ country: z.string().regex(/^[a-z]{2}$/) }),
  metadata,
});
export const linkRequest = z.strictObject({
  account: z.string(),
  use_case: z.strictObject({
    type: z.literal('account_onboarding'),
    account_onboarding: z.strictObject({ refresh_url: z.url(), return_url: z.url() }),
  }),
});
export const settingsRequest = z.strictObject({
  payments: z.strictObject({
    payouts: z.strictObject({ schedule: z.strictObject({ interval: z.literal('manual') }) }),
  }),
});
export const transferRequest = z.strictObject({
  amount: cents,
  currency: usd,
  destination: z.string(),
  transfer_group: z.string().optional(),
  metadata,
});
export const payoutRequest = z.strictObject({ amount: cents, currency: usd, metadata });
export const listRequest = z.strictObject({
  limit: z
    .string()
    .regex(/^\d{1,3}$/)
    .transform(Number)
    .pipe(z.int().min(1).max(100))
    .default(10),
  starting_after: z.string().optional(),
  transfer_group: z.string().optional(),
  created: z.strictObject({ gte: z.string().regex(/^\d+$/).transform(Number) }).optional(),
});

export function parse<T>(schema: z.ZodType<T>, input: unknown): T {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  throw new SandboxError(400, z.prettifyError(result.error), 'parameter_invalid');
}

export const missing = (what: string, id: string) =>
  new SandboxError(404, `No such ${what}: '${id}'`, 'resource_missing');

/** A form's objects have no prototype. */
export const asObject = (form: Readonly<Record<string, FormValue>>): unknown =>
  JSON.parse(JSON.stringify(form));

export function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw new SandboxError(400, 'The request is no JSON.');
  }
}
