/** The bodies of the webhook endpoints, as callers write them. */
import * as z from 'zod';
import { SUBSCRIBABLE_TYPES } from './event.ts';
import { description, eventTypes } from './subscription.ts';

const url = z.string().min(1);

export const createSchema = z.object({ url, events: eventTypes, description: description.optional() });

export const updateSchema = z.object({
  url: url.optional(),
  events: eventTypes.optional(),
  description: description.optional(),
  status: z.enum(['active', 'disabled']).optional(),
});

export const testSchema = z.object({ type: z.enum(SUBSCRIBABLE_TYPES).optional() });

/** ISO 8601 or seconds since the epoch, as milliseconds. */
const time = z
  .union([z.string(), z.number()])
  .transform((value) =>
    /^\d+(\.\d+)?$/.test(String(value)) ? Number(value) * 1000 : Date.parse(String(value)),
  )
  .refine((ms) => ms >= 0 && ms < 2 ** 48, 'must be an ISO 8601 time or seconds since the epoch');

export const recoverSchema = z.object({ since: time });
