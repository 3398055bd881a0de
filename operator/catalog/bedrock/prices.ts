/**
 * The prices of Bedrock by the id that is called: those of the shipped catalog, whose sources are named there, and those
 * of the table that two public lists agree on.
 */
import { readFileSync } from 'node:fs';
import type { JsonObject } from '../../../lambdas/platform/core/json/lossless-json.ts';
import { SHIPPED_CATALOG } from '../../deployment/settings.ts';
import { foundationModelOf, geographyOfProfile } from './ids.ts';
import { type PriceTable, readPriceTable, type TableEntry } from './price-table.ts';

export interface PricedId {
  readonly price: JsonObject;
  readonly priceSource: JsonObject;
  readonly entry?: TableEntry;
}

export interface ShippedModel extends JsonObject {
  readonly id: string;
  readonly price: JsonObject;
  readonly price_source: JsonObject;
  readonly aliases?: readonly string[];
  readonly routes: readonly (JsonObject & { readonly protocol: string; readonly upstream_model: string })[];
}

/** A region whose prices of models are those of the lists, except for models that a list has in it. */
const hasUsualPrices = (region: string): boolean => region.startsWith('us-') && !region.startsWith('us-gov-');

export class BedrockPrices {
  readonly #table: PriceTable;
  readonly #shipped: readonly ShippedModel[];
  readonly defaults: Readonly<Record<string, string>>;

  constructor(file?: string, shippedFile = SHIPPED_CATALOG) {
    this.#table = readPriceTable(file);
    const shipped = JSON.parse(readFileSync(shippedFile, 'utf8'));
    this.#shipped = shipped.models;
    this.defaults = shipped.defaults ?? {};
  }

  /** The ids of the shipped catalog's models. */
  get ids(): readonly string[] {
    return this.#shipped.map(({ id }) => id);
  }

  /** The shipped catalog's models of other services than Bedrock. */
  get ofOtherServices(): readonly ShippedModel[] {
    return this.#shipped.filter(({ routes: [first] }) => /^(polly|transcribe)$/.test(first?.protocol ?? ''));
  }

  /** Returns the price of calls of this id from the region; undefined if it has none. */
  of(id: string, region: string): PricedId | undefined {
    const { models, sources } = this.#table;
    const isProfile = geographyOfProfile(id) !== undefined;
    const regional = isProfile ? undefined : models[`${region}/${id}`];
    const [newest] = sources.map(({ url, as_of }) => ({ url, as_of })).sort(byDay);
    const ofTable = (entry: TableEntry) => ({ price: entry.price, priceSource: { ...newest }, entry });
    if (regional !== undefined) return ofTable(regional);
    const isUsual = isProfile || hasUsualPrices(region);
    const shipped = this.#shipped.find(({ routes: [first], routes }) =>
      isUsual
        ? routes.some((route) => route.upstream_model === id)
        : // A model whose first route has no address is sold at one price in every region.
          first?.upstream_model === id && first.base_url === undefined,
    );
    if (shipped !== undefined) return { price: shipped.price, priceSource: shipped.price_source };
    const entry = isUsual ? models[id] : undefined;
    return entry === undefined ? undefined : ofTable(entry);
  }

  /** Returns the reason why an id has no price in the region. */
  reasonOf(id: string, region: string): string {
    const { models, left_out: leftOut } = this.#table;
    if (models[id] !== undefined) return `no list has its price in ${region}`;
    return `${id} has no price that two sources agree on: ${leftOut[id] ?? 'no source has it'}`;
  }

  /** Returns the shipped catalog's model that calls this model of Bedrock, by any profile. */
  shippedModel(foundationModel: string): ShippedModel | undefined {
    return this.#shipped.find(({ routes }) =>
      routes.some(
        ({ protocol, upstream_model: id }) =>
          protocol === 'bedrock' && foundationModelOf(id) === foundationModel,
      ),
    );
  }
}

const byDay = (a: { readonly as_of: string }, b: { readonly as_of: string }): number =>
  a.as_of < b.as_of ? 1 : -1;
