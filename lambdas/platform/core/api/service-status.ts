/** The service's responses about itself: its index and its health. */
import * as z from 'zod';
import type { Body } from './response-schema.ts';

export const indexSchema = z.object({
  name: z.string(),
  version: z.string(),
  interface_version: z.string(),
  release: z.string().describe('The version of the product.'),
  endpoints: z.array(z.object({ method: z.string(), path: z.string(), purpose: z.string() })),
  limits: z.record(z.string(), z.number()),
});
export type Index = Body<typeof indexSchema>;

export const healthySchema = z.object({
  status: z.literal('ok'),
  version: z.string(),
  checks: z.object({
    database: z.literal('ok').describe('The database was read. A database that is full can still be read.'),
    catalog: z.literal('ok'),
  }),
  models: z.int(),
});
export type Healthy = Body<typeof healthySchema>;

export const unavailableSchema = z.object({
  status: z.literal('unavailable'),
  version: z.string(),
  checks: z.object({ catalog: z.literal('failed') }),
});
export type Unavailable = Body<typeof unavailableSchema>;
