/** The route that a probe is for: of the current catalog by its id, or of a file. */
import { existsSync, readFileSync } from 'node:fs';
import * as z from 'zod';
import {
  type CatalogDocument,
  parseCatalog,
  type Route,
} from '../../lambdas/core/inference/catalog/catalog-document.ts';
import { route as routeSchema } from '../../lambdas/core/inference/catalog/route-document.ts';
import type { Prices } from '../../lambdas/core/inference/pricing/prices.ts';

export interface ProbedRoute {
  readonly route: Route;
  /** What the route costs the operator, or else what its model costs callers. */
  readonly prices: Prices | undefined;
}

/** A route of a catalog. Without an id, the only one. Throws when there is no such route, or several and no id. */
export function routeOf({ models }: CatalogDocument, id: string | undefined): ProbedRoute {
  const routes = models.flatMap(({ price, routes: own }) =>
    own.map((route) => ({ route, prices: route.cost ?? price })),
  );
  const [found, ...others] = routes.filter(({ route }) => id === undefined || route.id === id);
  if (found === undefined) throw new Error(`the catalog has no route ${id}`);
  if (id === undefined && others.length > 0)
    throw new Error(`the catalog has ${routes.length} routes: name one by --route`);
  return found;
}

/** Whether an argument names a file. */
export const isFile = (name: string): boolean => name.endsWith('.json') || existsSync(name);

/** The route in a file: of a catalog, or the whole file. Throws for what is neither. */
export function routeInFile(path: string, id: string | undefined): ProbedRoute {
  let json: unknown;
  try {
    json = JSON.parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    throw new Error(`${path} cannot be read as JSON: ${(cause as Error).message}`, { cause });
  }
  if (typeof json === 'object' && json !== null && 'models' in json) return routeOf(parseCatalog(json), id);
  const parsed = routeSchema.safeParse(json);
  if (!parsed.success) throw new Error(`${path} is not a route:\n${z.prettifyError(parsed.error)}`);
  return { route: parsed.data, prices: parsed.data.cost };
}
