import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CatalogDocument, parseCatalog } from '../../lambdas/inference/core/catalog/catalog-document.ts';

const FOLDER = join(import.meta.dirname, '..', '..', 'catalogs');

/** The names of the catalogs that the repository ships, beside which are tables of prices. */
export const SHIPPED_CATALOGS: readonly string[] = readdirSync(FOLDER).filter((name) =>
  /(?<!-prices)\.json$/.test(name),
);

export const shippedCatalog = (name: string): CatalogDocument =>
  parseCatalog(JSON.parse(readFileSync(join(FOLDER, name), 'utf8')));
