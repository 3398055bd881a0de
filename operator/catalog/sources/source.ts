/** The common format of all price sources: models of a provider with values under the names of the catalog. */

import type { PriceValues } from '../../../lambdas/inference/core/catalog/price-values.ts';
import type { Capability } from '../../../lambdas/inference/core/catalog/route-document.ts';
import type { NanoUsd } from '../../../lambdas/platform/core/money.ts';
import { amountOf } from './decimal.ts';
import type { KnownProvider } from './known-providers.ts';

export const SOURCE_NAMES = ['models.dev', 'litellm'] as const;
export type SourceName = (typeof SOURCE_NAMES)[number];

/** The types of calls that a model serves. Only the first two can be imported. */
const MODEL_TYPES = ['chat', 'embeddings', 'other'] as const;
export type ModelType = (typeof MODEL_TYPES)[number];

/** The properties of a model that a source provides in addition to its prices, each if available. */
export interface About {
  readonly name?: string;
  readonly type?: ModelType;
  /** Seconds since the epoch. */
  readonly created?: number;
  readonly contextWindow?: number;
  readonly maxOutputTokens?: number;
  readonly capabilities?: readonly Capability[];
  /** The model rejects `temperature`. */
  readonly rejectsTemperature?: boolean;
}

export interface SourceModel {
  /** The provider's name of the model. */
  readonly id: string;
  readonly priceValues: PriceValues;
  /** Reasons why the model cannot be imported: prices that a catalog cannot represent exactly, or its end. */
  readonly problems: readonly string[];
  readonly about: About;
}

export interface CatalogSourceList {
  readonly name: SourceName;
  /** Returns whether its format has a field for a value of that name. A source does not deny what it cannot state. */
  states(rateName: string): boolean;
  models(provider: KnownProvider): readonly SourceModel[];
}

/** A reader of values that also collects those it could not read. */
export class PriceValueReader {
  readonly values = new Map<string, NanoUsd>();
  readonly problems: string[] = [];

  /** `power`: of ten, from the source's unit to that of the catalog. */
  read(
    name: string,
    text: string,
    { power = 0, field = name }: { power?: number; field?: string } = {},
  ): void {
    const amount = amountOf(text, power);
    if (amount === undefined || amount < 0n)
      this.problems.push(
        `${field} ${text} is not an amount with at most 9 decimal places of the catalog's unit`,
      );
    else this.values.set(name, amount);
  }

  /** Completes the tiers. A source omits a rate that is the same in all tiers; the catalog requires one in each. */
  fillTiers(): void {
    const starts = [...new Set([...this.values.keys()].map(startOf))].filter((above) => above > 0);
    for (const [name, base] of [...this.values]) {
      if (!isRate(name)) continue;
      let amount = base;
      for (const above of starts.sort((a, b) => a - b)) {
        amount = this.values.get(`tiers.${above}.${name}`) ?? amount;
        this.values.set(`tiers.${above}.${name}`, amount);
      }
    }
  }
}

const startOf = (name: string): number => Number(/^tiers\.(\d+)\./.exec(name)?.[1] ?? 0);

/** Returns whether a value is a rate of tokens in the standard tier. */
const isRate = (name: string): boolean => !/^(tiers|service_tiers|features|regions|request)\b/.test(name);

/** Returns the lifetime of cache writes if the source does not state it: 5 minutes for Claude, else `auto`. */
export const writeLifetime = (provider: Pick<KnownProvider, 'name'>, id: string): '5m' | 'auto' =>
  provider.name === 'anthropic' || /claude/i.test(id) ? '5m' : 'auto';

/** The limits of a model in tokens, where a source has them as whole numbers. */
export function limitsOf(context: string | undefined, output: string | undefined): About {
  const limit = (value: string | undefined) =>
    Number.isSafeInteger(Number(value)) && Number(value) > 0 ? Number(value) : undefined;
  const [contextWindow, maxOutputTokens] = [limit(context), limit(output)];
  return {
    ...(contextWindow === undefined ? {} : { contextWindow }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
  };
}
