/** The table of Bedrock's prices, `catalogs/bedrock-prices.json`, which `npm run prices` writes. */
import { join } from 'node:path';
import * as z from 'zod';
import { prices } from '../../../lambdas/inference/core/pricing/prices.ts';
import { readNamedFile } from '../../named-file.ts';
import { SOURCE_NAMES } from '../sources/source.ts';

export const PRICE_TABLE = join(import.meta.dirname, '..', '..', '..', 'catalogs', 'bedrock-prices.json');

/** A model of the table: the fields of a catalog's model, and those of its route. */
export const tableEntry = z.strictObject({
  type: z.enum(['chat', 'embeddings']),
  created: z.int(),
  display_name: z.string().optional(),
  context_window: z.int().optional(),
  max_output_tokens: z.int().optional(),
  clamp_max_tokens: z.boolean().optional(),
  max_image_tokens: z.int().optional(),
  price: z.looseObject({}).refine((price) => prices.safeParse(price).success, 'must be a price'),
  reasoning: z.boolean().optional(),
  capabilities: z.array(z.string()),
});
export type TableEntry = z.infer<typeof tableEntry>;

const table = z.strictObject({
  sources: z.array(z.strictObject({ name: z.enum(SOURCE_NAMES), url: z.url(), as_of: z.iso.date() })).min(1),
  /** Models by the id that is called: of a model, of an inference profile, or of a model in a region as `region/id`. */
  models: z.record(z.string(), tableEntry),
  /** The reasons of ids that a list has without a price in the table. */
  left_out: z.record(z.string(), z.string()),
});
export type PriceTable = z.infer<typeof table>;

/** Reads a table. Throws an error that names what is not as the format has it. */
export function readPriceTable(file = PRICE_TABLE): PriceTable {
  const result = table.safeParse(JSON.parse(readNamedFile(file)));
  if (!result.success) throw new Error(`${file} is no table of prices:\n${z.prettifyError(result.error)}`);
  return result.data;
}
