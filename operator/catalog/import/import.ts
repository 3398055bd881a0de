/**
 * A catalog from public lists of prices: for each model of the wanted providers what both sources agree upon, with a
 * markup; everything else is left out and listed. Nothing goes live by it.
 */
import { parseCatalog } from '../../../lambdas/inference/core/catalog/catalog-document.ts';
import { formatPriceValues, type PriceValues } from '../../../lambdas/inference/core/catalog/price-values.ts';
import type { JsonObject } from '../../../lambdas/platform/core/json/lossless-json.ts';
import type { KnownProvider } from '../sources/known-providers.ts';
import type { About, CatalogSourceList, SourceModel } from '../sources/source.ts';
import { agreementOf, comparisonOf, type SourceComparison, type Statement } from './agreement.ts';
import {
  catalogIdOf,
  catalogModel,
  exclusionReasonOf,
  type Importable,
  type ImportParams,
  withoutPartialTiers,
} from './imported-model.ts';

export interface ImportOptions extends ImportParams {
  readonly sources: readonly CatalogSourceList[];
  readonly providers: readonly KnownProvider[];
  /** The models that are wanted, by the provider's id or that of the catalog; all without it. */
  readonly only?: ReadonlySet<string> | undefined;
  /** Also imports values that only one source has. */
  readonly unconfirmed?: boolean;
}

/** A model that is not in the catalog, and why. */
interface LeftOut {
  readonly model: string;
  readonly reason: string;
  readonly figures: SourceComparison;
}

/** A price that a model of the catalog lacks, because only one source has it: calls that request it are rejected. */
interface LeftPrice {
  readonly model: string;
  readonly reason: string;
  readonly prices: Readonly<Record<string, string>>;
}

export interface ImportResult {
  readonly models: readonly JsonObject[];
  readonly leftOut: readonly LeftOut[];
  readonly leftPrices: readonly LeftPrice[];
}

/** A model with the values of its sources. */
interface Candidate {
  readonly provider: KnownProvider;
  readonly id: string;
  readonly sourceModels: readonly { readonly source: CatalogSourceList; readonly model: SourceModel }[];
}

/** The models that can be sold by these sources, as a valid catalog has them. */
export function importModels(options: ImportOptions): ImportResult {
  const { only, sources } = options;
  const models = new Map<string, JsonObject>();
  const leftOut: LeftOut[] = [];
  const leftPrices: LeftPrice[] = [];
  const matchedNames = new Set<string>();
  for (const candidate of options.providers.flatMap((provider) => candidatesOf(sources, provider))) {
    const id = catalogIdOf(candidate);
    const requestedNames = [id, candidate.id].filter((name) => only?.has(name));
    if (only !== undefined && requestedNames.length === 0) continue;
    for (const name of requestedNames) matchedNames.add(name);
    const judged = judge(candidate, options);
    if ('reason' in judged) leftOut.push({ model: id, ...judged });
    else {
      models.set(id, judged.model);
      leftPrices.push(...judged.leftPrices.map((each) => ({ model: id, ...each })));
    }
  }
  for (const name of only ?? [])
    if (!matchedNames.has(name)) leftOut.push({ model: name, reason: 'no source has it', figures: {} });
  return { models: withAliases([...models.values()]), leftOut, leftPrices };
}

/** Every model of the provider, each once, with all sources that have it; a source that has it twice counts once. */
function candidatesOf(sources: readonly CatalogSourceList[], provider: KnownProvider): readonly Candidate[] {
  const allModels = sources.flatMap((source) => {
    const byId = new Map(source.models(provider).map((model) => [model.id, model]));
    return [...byId.values()].map((model) => ({ source, model }));
  });
  return [...Map.groupBy(allModels, ({ model }) => model.id)].map(([id, sourceModels]) => ({
    provider,
    id,
    sourceModels,
  }));
}

type ImportVerdict =
  | Omit<LeftOut, 'model'>
  | { readonly model: JsonObject; readonly leftPrices: readonly Omit<LeftPrice, 'model'>[] };

function judge({ provider, id, sourceModels }: Candidate, options: ImportOptions): ImportVerdict {
  const about = Object.assign({}, ...sourceModels.map(({ model }) => model.about).reverse()) as About;
  const statements = about.type === 'embeddings' ? sourceModels.map(withoutOutput) : sourceModels;
  const compared = comparisonOf(statements, namesOf(statements));
  for (const { source, model } of sourceModels) {
    const [problem] = model.problems;
    if (problem !== undefined) return { reason: `${source.name}: ${problem}`, figures: compared };
    if (model.priceValues.size === 0) return { reason: `${source.name}: it has no price`, figures: compared };
  }
  const { agreed, unconfirmed, alone, conflict } = agreementOf(statements);
  if (conflict !== undefined) return conflict;
  if (alone.size > 0 && !options.unconfirmed) {
    if (sourceModels.length === 1)
      return { reason: `only ${sourceModels[0]?.source.name} has it`, figures: compared };
    const reason = 'no other source has a place for this price';
    return { reason, figures: comparisonOf(statements, [...alone.keys()]) };
  }
  const acceptedPrices = options.unconfirmed ? [...agreed, ...alone, ...unconfirmed] : agreed;
  const { values, droppedTiers } = withoutPartialTiers(new Map(acceptedPrices));
  const importable: Importable = { provider, id, about, priceValues: values };
  const exclusionReason = exclusionReasonOf(importable);
  if (exclusionReason !== undefined) return { reason: exclusionReason, figures: compared };
  const model = catalogModel(importable, options);
  const fault = faultOf(model);
  if (fault !== undefined) return { reason: fault, figures: compared };
  return { model, leftPrices: leftPricesOf(options.unconfirmed ? new Map() : unconfirmed, droppedTiers) };
}

const namesOf = (statements: readonly Statement[]): string[] => [
  ...new Set(statements.flatMap(({ model }) => [...model.priceValues.keys()])),
];

/** A list that has an output price for everything has one for embeddings, which put nothing out. */
const withoutOutput = ({ source, model }: Statement): Statement => ({
  source,
  model: { priceValues: new Map([...model.priceValues].filter(([name]) => !name.endsWith('output'))) },
});

function leftPricesOf(unconfirmed: PriceValues, partial: readonly string[]): Omit<LeftPrice, 'model'>[] {
  const prices = formatPriceValues(unconfirmed);
  return [
    ...(unconfirmed.size === 0 ? [] : [{ reason: 'only one source has it', prices }]),
    ...partial.map((service) => ({
      reason: `service tier ${service} has not all rates and tiers of the model`,
      prices: {},
    })),
  ];
}

/** Returns the error of a catalog that contains this model alone; undefined if there is none. */
function faultOf(model: JsonObject): string | undefined {
  try {
    parseCatalog({ models: [model] });
    return undefined;
  } catch (fault) {
    return (fault as Error).message.replaceAll('\n', ' ');
  }
}

/** Every model gets the provider's own id as an alias, where that is the id or alias of no other. */
function withAliases(models: readonly JsonObject[]): readonly JsonObject[] {
  const names = new Map<string, number>();
  const aliasOf = ({ id }: JsonObject) => String(id).slice(String(id).indexOf('/') + 1);
  for (const model of models)
    for (const name of [String(model.id), aliasOf(model)]) names.set(name, (names.get(name) ?? 0) + 1);
  return models.map((model) =>
    names.get(aliasOf(model)) === 1 ? { ...model, aliases: [aliasOf(model)] } : model,
  );
}
