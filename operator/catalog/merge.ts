/** Adds the models and routes of a catalog file to another catalog. Nothing that the other one has is lost or changed. */
import { isDeepStrictEqual } from 'node:util';
import { parseCatalog } from '../../lambdas/inference/core/catalog/catalog-document.ts';
import type { JsonObject } from '../../lambdas/platform/core/json/lossless-json.ts';

/** A part of a document as it was written: an applied catalog keeps the text of what the file does not touch. */
interface WrittenPart extends JsonObject {
  readonly id: string;
}

interface WrittenModel extends WrittenPart {
  readonly routes: readonly WrittenPart[];
}

interface WrittenCatalog extends JsonObject {
  readonly models: readonly WrittenModel[];
  readonly defaults?: Readonly<Record<string, string>>;
}

/** Returns the parts of both, one's before the other's; those with the same id are joined by `join`. */
function joined<Part extends WrittenPart>(
  parts: readonly Part[],
  added: readonly Part[],
  join: (part: Part, other: Part) => Part,
): readonly Part[] {
  const others = new Map(added.map((other) => [other.id, other]));
  const known = new Set(parts.map(({ id }) => id));
  return [
    ...parts.map((part) => {
      const other = others.get(part.id);
      return other === undefined ? part : join(part, other);
    }),
    ...added.filter(({ id }) => !known.has(id)),
  ];
}

/**
 * Returns the catalog with the file's models and routes. The models in `replaced` are the file's. Throws an error that names
 * every conflict: what both have, and state differently.
 */
export function mergeCatalogs(catalog: string, file: string, replaced: ReadonlySet<string>): string {
  parseCatalog(JSON.parse(file));
  const [base, other] = [catalog, file].map((json) => JSON.parse(json)) as [WrittenCatalog, WrittenCatalog];
  const conflicts: string[] = [];
  const unknown = [...replaced].filter((id) => !other.models.some((model) => model.id === id));
  if (unknown.length > 0) throw new Error(`--replace: the file has no model ${unknown.join(', ')}`);
  const models = joined(base.models, other.models, (model, added) => {
    if (replaced.has(model.id)) return added;
    for (const field of Object.keys(added))
      if (field !== 'routes' && !isDeepStrictEqual(model[field], added[field]))
        conflicts.push(`${model.id}: ${field}`);
    const routes = joined(model.routes, added.routes, (route, addedRoute) => {
      if (!isDeepStrictEqual(route, addedRoute)) conflicts.push(`${model.id}: route ${route.id}`);
      return route;
    });
    return { ...model, routes };
  });
  for (const [type, id] of Object.entries(other.defaults ?? {}))
    if ((base.defaults?.[type] ?? id) !== id) conflicts.push(`defaults: ${type}`);
  if (conflicts.length > 0)
    throw new Error(
      `the file and the catalog differ in ${conflicts.join(', ')}: make them the same in the file, or take the file's model with --replace MODEL`,
    );
  const defaults = { ...other.defaults, ...base.defaults };
  const merged = { ...base, models, ...(Object.keys(defaults).length === 0 ? {} : { defaults }) };
  // The text of the same content stays, and with it the version.
  return isDeepStrictEqual(merged, base) ? catalog : JSON.stringify(merged);
}
