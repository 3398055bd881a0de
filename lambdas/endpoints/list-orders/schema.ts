/** The query of `GET /api/orders`. */
import * as z from 'zod';

/** A cursor is the order it continues after. */
const cursor = z
  .string()
  .transform((value) => Buffer.from(value, 'base64url').toString('latin1'))
  .refine((id) => /^ord_[0-9A-Z]{26}$/.test(id), 'must be the next_cursor of an earlier page');

const limit = z
  .string()
  .regex(/^\d{1,4}$/, 'must be a whole number')
  .transform(Number)
  .refine((count) => count >= 1 && count <= 100, 'must be from 1 to 100');

export const ordersQuery = z.object({ limit: limit.default(20), cursor: cursor.optional() });

export const formatCursor = (orderId: string): string => Buffer.from(orderId, 'latin1').toString('base64url');
