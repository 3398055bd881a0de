/** The current catalog and its price changes for callers, as an operator sees them. */
import * as z from 'zod';
import { type Body, seconds, usd } from '../../../platform/core/api/response-schema.ts';
import { type NanoUsd, usdJson } from '../../../platform/core/money.ts';
import { type CatalogDocument, parseCatalog } from './catalog-document.ts';
import { catalogChange } from './price-changes.ts';

/** A catalog that was applied. */
export interface AppliedCatalog {
  readonly version: string;
  /** Its document. */
  readonly json: string;
  /** Milliseconds since the epoch. */
  readonly appliedMs: number;
}

/** The current catalog and the one before it, where there are such. */
export type LatestCatalogs = () => Promise<{
  readonly current: AppliedCatalog | undefined;
  readonly before: AppliedCatalog | undefined;
}>;

/** A catalog has up to 20,000 models, and the size of a response is limited. The counts include all models. */
const MAX_SHOWN = 200;

const amount = usd.nullable();

export const catalogViewSchema = z.object({
  object: z.literal('catalog'),
  version: z.string(),
  applied: seconds,
  models: z.int(),
  routes: z.int(),
  diff: z
    .object({
      previous_version: z.string(),
      added_count: z.int(),
      removed_count: z.int(),
      changed_count: z.int(),
      added: z.array(z.string()).describe(`The first ${MAX_SHOWN} models.`),
      removed: z.array(z.string()),
      changed: z.array(
        z.object({
          model: z.string().describe('An id or an alias by which callers meet another price.'),
          rates: z.array(z.object({ rate: z.string(), old: amount, new: amount, large: z.boolean() })),
        }),
      ),
    })
    .nullable()
    .describe('Null for the first catalog, and where the one before it cannot be read any more.'),
});

const amountOf = (value: NanoUsd | undefined) => (value === undefined ? null : usdJson(value));

/** Compares the current catalog with the previous one. Throws if it cannot be read. */
export function catalogView(
  current: AppliedCatalog,
  before: AppliedCatalog | undefined,
): Body<typeof catalogViewSchema> {
  const document = parseCatalog(JSON.parse(current.json));
  return {
    object: 'catalog',
    version: current.version,
    applied: Math.floor(current.appliedMs / 1000),
    models: document.models.length,
    routes: document.models.reduce((sum, { routes }) => sum + routes.length, 0),
    diff: before === undefined ? null : diffOf(before, document),
  };
}

function diffOf(before: AppliedCatalog, document: CatalogDocument) {
  const old = readable(before);
  if (old === undefined) return null;
  const { added, removed, changed } = catalogChange(old, document);
  return {
    previous_version: before.version,
    added_count: added.length,
    removed_count: removed.length,
    changed_count: changed.length,
    added: added.slice(0, MAX_SHOWN),
    removed: removed.slice(0, MAX_SHOWN),
    changed: changed.slice(0, MAX_SHOWN).map(({ model, changes }) => ({
      model,
      rates: changes.map((each) => ({
        rate: each.rate,
        old: amountOf(each.before),
        new: amountOf(each.after),
        large: each.large,
      })),
    })),
  };
}

/** A document that an earlier version of the service has taken, and this one may not. */
function readable({ json }: AppliedCatalog): CatalogDocument | undefined {
  try {
    return parseCatalog(JSON.parse(json));
  } catch {
    return undefined;
  }
}
