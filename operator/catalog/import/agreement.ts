/**
 * The statements of the sources about one model, as one list of values. A price is taken if both sources have the same.
 * If they differ, or if one that could state a price does not, the model cannot be sold by it.
 */

import {
  isOnRequest,
  type PriceValues,
  rateNameOf,
} from '../../../lambdas/inference/core/catalog/price-values.ts';
import { formatUsd, type NanoUsd } from '../../../lambdas/platform/core/money.ts';
import type { CatalogSourceList, SourceModel, SourceName } from '../sources/source.ts';

/** A model as one source has it. */
export interface Statement {
  readonly source: Pick<CatalogSourceList, 'name' | 'states'>;
  readonly model: Pick<SourceModel, 'priceValues'>;
}

/** A value by source; null if a source has none. */
export type SourceComparison = Readonly<Record<string, Readonly<Partial<Record<SourceName, string | null>>>>>;

export interface Agreement {
  /** The values that both sources agree on. */
  readonly agreed: PriceValues;
  /**
   * The values of only one source, for fields whose calls are rejected without a price: lifetimes of caches, service
   * tiers, tools.
   */
  readonly unconfirmed: PriceValues;
  /** The values of one source that no other could have, and that may apply to a call without a request for them. */
  readonly alone: PriceValues;
  /** The reason why the sources cannot both be right; absent if they can. */
  readonly conflict?: { readonly reason: string; readonly figures: SourceComparison };
}

/** Compares what the sources say. With one source nothing is agreed upon. */
export function agreementOf(statements: readonly Statement[]): Agreement {
  const [agreed, unconfirmed, alone] = [0, 1, 2].map(() => new Map<string, NanoUsd>()) as [
    PriceValueMap,
    PriceValueMap,
    PriceValueMap,
  ];
  const conflicts = new Map<string, string>();
  for (const name of new Set(statements.flatMap(({ model }) => [...model.priceValues.keys()]))) {
    const holders = statements.flatMap(({ model }) => model.priceValues.get(name) ?? []);
    const [amount = 0n] = holders;
    const missing = missingIn(statements, name);
    if (holders.some((other) => other !== amount)) conflicts.set(name, 'the sources differ');
    else if (holders.length > 1) agreed.set(name, amount);
    else if (missing !== undefined) conflicts.set(name, missing);
    else (isOnRequest(name) ? unconfirmed : alone).set(name, amount);
  }
  const [reason] = conflicts.values();
  return {
    agreed,
    unconfirmed,
    alone,
    ...(reason === undefined
      ? {}
      : { conflict: { reason, figures: comparisonOf(statements, [...conflicts.keys()]) } }),
  };
}

type PriceValueMap = Map<string, NanoUsd>;

/**
 * Returns the reason why a value of one source should be in another too. Undefined if no other source has a field for
 * it.
 */
function missingIn(statements: readonly Statement[], name: string): string | undefined {
  // A list may have a model and not its service tiers.
  if (name.startsWith('service_tiers.')) return undefined;
  if (statements.filter(({ source }) => source.states(rateNameOf(name))).length < 2) return undefined;
  return name.startsWith('tiers.') ? 'only one source has this tier' : 'only one source has this price';
}

/** Returns the values by source. */
export const comparisonOf = (statements: readonly Statement[], names: readonly string[]): SourceComparison =>
  Object.fromEntries(
    names.map((name) => [
      name,
      Object.fromEntries(
        statements.map(({ source, model }) => {
          const amount = model.priceValues.get(name);
          return [source.name, amount === undefined ? null : formatUsd(amount)];
        }),
      ),
    ]),
  );
