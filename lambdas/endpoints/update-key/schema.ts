/** The body of `PATCH /api-keys/{id}`: what is left out stays as it is, and a policy replaces the whole of the old one. */
import * as z from 'zod';
import { keyName } from '../../core/access/api-keys.ts';
import { policySchema } from '../../core/access/policy.ts';

export const updateKeyRequest = z.object({
  name: keyName.optional(),
  policy: policySchema.optional(),
  disabled: z.boolean().optional(),
});
