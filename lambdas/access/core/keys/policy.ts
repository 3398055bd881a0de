/**
 * The permissions of a key: models, call kinds, spend and rates. They are stored in the key's item, so a change applies
 * at once.
 */

import * as z from 'zod';
import { usdAmount } from '../../../platform/core/api/amount.ts';
import { type Body, usd } from '../../../platform/core/api/response-schema.ts';
import { describeFault } from '../../../platform/core/json/field-faults.ts';
import { storedText } from '../../../platform/core/json/stored-text.ts';
import { KINDS } from '../../../platform/core/kinds.ts';
import { usdJson } from '../../../platform/core/money.ts';
import { requireFinished } from '../../../platform/core/stage-check.ts';
import { CAPS } from './caps.ts';

/** More than any account will spend; a larger amount is a mistake in units. */
const MAX_CAP_NANO_USD = 1_000_000_000n * 1_000_000_000n;

/** Bounds the key's item: each decrement of its windows pays for the whole item by the kilobyte. */
const MAX_ALLOWED_MODELS = 20;

/** An amount of USD that may be 0. */
export const cap = usdAmount({
  min: 0n,
  max: MAX_CAP_NANO_USD,
  step: 1n,
  pattern: '^([0-9]{1,9}([.][0-9]{1,9})?|10{9}([.]0{1,9})?)$',
});

const rate = z.int().min(1).max(1_000_000_000);

const fields = {
  allowed_models: z.array(storedText().min(1).max(128)).min(1).max(MAX_ALLOWED_MODELS).optional(),
  /** None: the key makes no calls, and manages no webhooks. */
  allowed_kinds: z.array(z.enum(KINDS)).optional(),
  daily_usd: cap.optional(),
  monthly_usd: cap.optional(),
  /** Tokens a minute. */
  tpm: rate.optional(),
  /** Requests a minute. */
  rpm: rate.optional(),
  reads: z
    .literal('account')
    .optional()
    .describe('The usage that the key may read: that of all keys of its account. Absent: its own.'),
};

const unknownField = (issue: z.core.$ZodRawIssue): string | undefined =>
  issue.code === 'unrecognized_keys'
    ? `${describeFault(issue)}; its fields are ${Object.keys(fields).join(', ')}`
    : undefined;

/** A policy as callers write it. Unknown fields are rejected, so that a misspelled cap does not go unnoticed. */
export const policySchema = z.strictObject(fields, { error: unknownField });

/** Caps are nano-USD. */
export type Policy = z.infer<typeof policySchema>;

/** Throws 409 for a policy with a field that keys may not have while they are stored in that layout. */
export function requireStorable(policy: Policy, layout: number): void {
  if (policy.reads !== undefined) requireFinished(layout, 'such policies', 'policy.reads');
}

/** A policy in responses. Unlike `policySchema` it is not strict, because the service may add fields. */
export const policyEntrySchema = z.object({
  ...policySchema.shape,
  daily_usd: usd.optional(),
  monthly_usd: usd.optional(),
});

/** Returns a policy for a response: only the fields that are set. */
export function policyEntry(policy: Policy): Body<typeof policyEntrySchema> {
  const caps = CAPS.flatMap(({ field }) => {
    const cap = policy[field];
    return cap === undefined ? [] : [[field, usdJson(cap)]];
  });
  return { ...policy, ...Object.fromEntries(caps) };
}
