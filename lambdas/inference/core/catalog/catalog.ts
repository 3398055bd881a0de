/** The catalog as calls use it: models by id and alias. */
import { outdatedVersion } from '../../../platform/core/stage-check.ts';
import { type CatalogDocument, type Model, parseEnvelope, parseModel } from './catalog-document.ts';
import { unknownModel } from './unknown-model.ts';

export interface Catalog {
  readonly version: string;
  /** The models that this version can read. */
  readonly models: readonly Model[];
  readonly defaults: CatalogDocument['defaults'];
  /** The ids and aliases, also of models that this version cannot read. */
  readonly names: Iterable<string>;
  /** Returns whether it is one of the names. */
  has(name: string): boolean;
  /** Returns the model with that id or alias, the same object at each call; undefined also if this version cannot read it. */
  find(name: string): Model | undefined;
}

/** Returns the active catalog from memory and refreshes it in the background. */
export type CatalogSource = () => Promise<Catalog>;

/**
 * Opens a stored document. All of it was validated when it was applied, so a model is parsed at its first use. A
 * function that starts with thousands of models parses only the few that its calls name. A model that this version
 * cannot read is one that a later version has applied: it is left out whole, because a field that is not understood may be
 * one that protects or bills, and `report` gets its fault once. Throws if the value is not a document.
 */
export function openCatalog(
  version: string,
  stored: unknown,
  report: (fault: Error) => void = () => {},
): Catalog {
  const { models, defaults } = parseEnvelope(stored);
  const readers = models.map((model) => modelReader(model, report));
  const byName = new Map<string, () => Model | undefined>();
  for (const { names, read } of readers) for (const name of names) byName.set(name, read);
  let all: readonly Model[] | undefined;
  return {
    version,
    get models() {
      all ??= readers.flatMap(({ read }) => read() ?? []);
      return all;
    },
    defaults,
    get names() {
      return byName.keys();
    },
    has: (name) => byName.has(name),
    find: (name) => byName.get(name)?.(),
  };
}

/** The id and the aliases of a stored model, and the model, which is parsed at its first use. */
function modelReader(stored: unknown, report: (fault: Error) => void) {
  const { id, aliases } = Object(stored) as { readonly id?: unknown; readonly aliases?: unknown };
  const names: readonly string[] = [String(id), ...(Array.isArray(aliases) ? aliases : [])];
  let result: { readonly model: Model | undefined } | undefined;
  const read = (): Model | undefined => {
    result ??= { model: readModel(stored, String(id), report) };
    return result.model;
  };
  return { names, read };
}

function readModel(stored: unknown, name: string, report: (fault: Error) => void): Model | undefined {
  try {
    return parseModel(stored, name);
  } catch (fault) {
    report(fault as Error);
    return undefined;
  }
}

/** The model of that name and type. Throws 400 `model_not_found`, or 503 `outdated_version` if this version cannot read it. */
export function requireModel(catalog: Catalog, name: string, type: Model['type'], param: string): Model {
  const model = catalog.find(name);
  if (model?.type === type) return model;
  if (model === undefined && catalog.has(name)) throw outdatedVersion();
  throw unknownModel(catalog, name, type, param);
}
