/** The body of `POST /api-keys`. */
import * as z from 'zod';
import { keyName } from '../../core/access/api-keys.ts';
import { policySchema } from '../../core/access/policy.ts';

export const createKeyRequest = z.object({ name: keyName, policy: policySchema.optional() });
