/** The bodies of the webhook endpoints, as callers write them. */
import * as z from 'zod';
import { timeField } from '../../platform/core/api/time-parameter.ts';
import { SUBSCRIBABLE_TYPES } from './event.ts';
import { description, eventTypes, SUBSCRIPTION_STATUSES } from './subscription.ts';
import { MAX_URL_LENGTH } from './target.ts';

/** `target.ts` checks it. */
const url = z.string().min(1).meta({
  format: 'uri',
  maxLength: MAX_URL_LENGTH,
  pattern: '^https://[^/?#@ ]+([/?#].*)?$',
  description:
    'Without credentials, and of a host on the public internet; a local service also takes http to loopback.',
});

export const createSchema = z.object({ url, events: eventTypes, description: description.optional() });

export const updateSchema = z.object({
  url: url.optional(),
  events: eventTypes.optional(),
  description: description.optional(),
  status: z.enum(SUBSCRIPTION_STATUSES).optional(),
});

export const testSchema = z.object({ type: z.enum(SUBSCRIBABLE_TYPES).optional() });

export const recoverSchema = z.object({ since: timeField });
