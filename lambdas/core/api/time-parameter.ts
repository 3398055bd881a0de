/** Times as callers write them. */
import type * as z from 'zod';

/** A ULID's time has 48 bits. */
const MAX_TIME_MS = 2 ** 48 - 1;

/** ISO 8601 or seconds since the epoch, as milliseconds. */
export const timeOf = (text: z.ZodType<string | number, string | number>) =>
  text
    .transform((value) =>
      /^\d+(\.\d+)?$/.test(String(value)) ? Number(value) * 1000 : Date.parse(String(value)),
    )
    .refine((ms) => ms >= 0 && ms <= MAX_TIME_MS, 'must be an ISO 8601 time or seconds since the epoch');
