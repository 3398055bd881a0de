/** The catalog as calls use it: models by id and alias. */
import { ServiceError } from '../../errors.ts';
import type { CatalogDocument, Model } from './catalog-document.ts';

export interface Catalog {
  readonly version: string;
  readonly models: readonly Model[];
  readonly defaults: CatalogDocument['defaults'];
  /** By id or alias. */
  find(name: string): Model | undefined;
}

/** Gives the active catalog; answers from memory and refreshes in the background. */
export type CatalogSource = () => Promise<Catalog>;

export function compileCatalog(version: string, document: CatalogDocument): Catalog {
  const byName = new Map<string, Model>();
  for (const model of document.models) {
    for (const name of [model.id, ...model.aliases]) byName.set(name, model);
  }
  return { version, models: document.models, defaults: document.defaults, find: (name) => byName.get(name) };
}

/** The model of that name and type. Throws 400 `model_not_found`. */
export function requireModel(catalog: Catalog, name: string, type: Model['type'], param: string): Model {
  const model = catalog.find(name);
  if (model?.type === type) return model;
  throw new ServiceError('model_not_found', `There is no ${type} model named ${JSON.stringify(name)}.`, {
    param,
  });
}
