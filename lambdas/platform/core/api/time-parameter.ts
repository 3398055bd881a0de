/** Times as callers write them: ISO 8601, or seconds since the epoch. */
import * as z from 'zod';

/** A ULID's time has 48 bits. */
const MAX_TIME_MS = 2 ** 48 - 1;

/** The format that the API's description names. It is accepted, and so is every other form that `Date.parse` reads. */
const DATE_TIME = {
  format: 'date-time',
  // `Date.parse` reads no leap second.
  pattern:
    '^(19[89][0-9]|[2-9][0-9]{3})-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-5][0-9]([.][0-9]+)?([Zz]|[+-][0-9]{2}:[0-9]{2})$',
};
const SECONDS = { pattern: '^[0-9]{1,11}([.][0-9]{1,9})?$' };

const text = z.string().meta({ anyOf: [DATE_TIME, SECONDS] });

const timeOf = <T extends z.ZodType<string | number, string | number>>(written: T) =>
  written
    .transform((value) =>
      /^\d+(\.\d+)?$/.test(String(value)) ? Number(value) * 1000 : Date.parse(String(value)),
    )
    .refine((ms) => ms >= 0 && ms <= MAX_TIME_MS, 'must be an ISO 8601 time or seconds since the epoch');

/** A time in a query, as milliseconds. */
export const timeParameter = timeOf(text);

/** A time in a body, where the seconds may be a number; as milliseconds. */
export const timeField = timeOf(
  z.union([text, z.number().meta({ minimum: 0, maximum: Math.floor(MAX_TIME_MS / 1000) })]),
);
