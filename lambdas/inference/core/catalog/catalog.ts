/** The catalog as calls use it: models by id and alias. */
import { type CatalogDocument, type Model, parseEnvelope, parseModel } from './catalog-document.ts';
import { unknownModel } from './unknown-model.ts';

export interface Catalog {
  readonly version: string;
  /** All of them. Throws when one of them cannot be read. */
  readonly models: readonly Model[];
  readonly defaults: CatalogDocument['defaults'];
  /** The ids and aliases. */
  readonly names: Iterable<string>;
  /** Returns the model with that id or alias, the same object at each call. Throws if it cannot be read. */
  find(name: string): Model | undefined;
}

/** Returns the active catalog from memory and refreshes it in the background. */
export type CatalogSource = () => Promise<Catalog>;

/**
 * Opens a stored document. All of it was validated when it was applied, so a model is parsed at its first use. A
 * function that starts with thousands of models parses only the few that its calls name. A model that this version
 * cannot parse fails only the calls that name it. Throws if the value is not a document.
 */
export function openCatalog(version: string, stored: unknown): Catalog {
  const { models, defaults } = parseEnvelope(stored);
  const readers = models.map(modelReader);
  const byName = new Map<string, () => Model>();
  for (const { names, read } of readers) for (const name of names) byName.set(name, read);
  let all: readonly Model[] | undefined;
  return {
    version,
    get models() {
      all ??= readers.map(({ read }) => read());
      return all;
    },
    defaults,
    get names() {
      return byName.keys();
    },
    find: (name) => byName.get(name)?.(),
  };
}

/** The id and the aliases of a stored model, and the model, which is parsed at its first use. */
function modelReader(stored: unknown) {
  const { id, aliases } = Object(stored) as { readonly id?: unknown; readonly aliases?: unknown };
  const names: readonly string[] = [String(id), ...(Array.isArray(aliases) ? aliases : [])];
  let model: Model | undefined;
  const read = (): Model => {
    model ??= parseModel(stored, String(id));
    return model;
  };
  return { names, read };
}

/** The model of that name and type. Throws 400 `model_not_found`. */
export function requireModel(catalog: Catalog, name: string, type: Model['type'], param: string): Model {
  const model = catalog.find(name);
  if (model?.type === type) return model;
  throw unknownModel(catalog, name, type, param);
}
