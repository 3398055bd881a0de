/** The bodies of the requests that make and change API keys. */
import * as z from 'zod';
import { keyName } from './api-keys.ts';
import { policySchema } from './policy.ts';

/** The body of `POST /api-keys`. */
export const createKeyRequest = z.object({ name: keyName, policy: policySchema.optional() });

/**
 * The body of `PATCH /api-keys/{id}`. Omitted fields stay unchanged, and a policy replaces the complete previous
 * policy.
 */
export const updateKeyRequest = z.object({
  name: keyName.optional(),
  policy: policySchema.optional(),
  disabled: z.boolean().optional(),
});

/** One week is enough to roll out a secret. A longer overlap would defeat the rotation. */
const MAX_OVERLAP_SECONDS = 7 * 24 * 60 * 60;

/** The body of `POST /api-keys/{id}/rotate`, which may be left out. */
export const rotateKeyRequest = z.object({
  overlap_seconds: z.int().min(0).max(MAX_OVERLAP_SECONDS).default(0),
});
