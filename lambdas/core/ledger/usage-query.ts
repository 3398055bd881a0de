/** The query of `GET /v1/usage`. */
import * as z from 'zod';

/** A ULID's time has 48 bits. */
const MAX_TIME_MS = 2 ** 48 - 1;

/** ISO 8601 or seconds since the epoch, as milliseconds. */
const time = z
  .string()
  .transform((value) => (/^\d+(\.\d+)?$/.test(value) ? Number(value) * 1000 : Date.parse(value)))
  .refine((ms) => ms >= 0 && ms <= MAX_TIME_MS, 'must be an ISO 8601 time or seconds since the epoch');

/** A cursor is the record it continues after. */
const cursor = z
  .string()
  .transform((value) => Buffer.from(value, 'base64url').toString('latin1'))
  .refine((id) => /^req_[0-9A-Z]{26}$/.test(id), 'must be the next_cursor of an earlier page');

const limit = z
  .string()
  .regex(/^\d{1,4}$/, 'must be a whole number')
  .transform(Number)
  .refine((count) => count >= 1 && count <= 100, 'must be from 1 to 100');

export const usageQuery = z.object({
  start: time.optional(),
  end: time.optional(),
  limit: limit.optional(),
  cursor: cursor.optional(),
});

export const formatCursor = (recordId: string): string =>
  Buffer.from(recordId, 'latin1').toString('base64url');
