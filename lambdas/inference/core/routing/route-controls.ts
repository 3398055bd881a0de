/** The caller's say in routing: additive fields of a request, the same on both conversational surfaces. */
import * as z from 'zod';
import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import { type NanoUsd, parseUsd } from '../../../platform/core/money.ts';

const usd = z
  .union([z.number(), z.string()])
  .transform((value) => parseUsd(value))
  .refine((amount): amount is NanoUsd => amount !== undefined && amount >= 0n, {
    error: 'must be an amount of USD of 0 or more with at most 9 decimal places',
  })
  .nullish();

/** The maximum price of a million tokens. */
const maxPrice = z.strictObject({ prompt: usd, completion: usd });

/** Names are route ids or protocols. */
export interface RouteControls {
  readonly order: readonly string[];
  readonly only: readonly string[];
  readonly ignore: readonly string[];
  /** False: one candidate is attempted, and its failure is returned to the caller. */
  readonly allowFallbacks: boolean;
  /** Only routes that leave out no field of the request. */
  readonly requireParameters?: boolean;
  readonly maxPrice?: z.infer<typeof maxPrice>;
  readonly sort?: Sort | undefined;
}

/** The prices of a million tokens. */
export interface TokenPrice {
  readonly prompt: NanoUsd;
  readonly completion: NanoUsd;
}

/** `price`: the model with the lowest price in `models` is first. */
const SORTS = ['price'] as const;
type Sort = (typeof SORTS)[number];

export const NO_CONTROLS: RouteControls = { order: [], only: [], ignore: [], allowFallbacks: true };

/** A model's id or alias, or a route's id; they are at most this long in a catalog. */
export const reference = z.string().min(1).max(128);
const references = z.array(reference).max(20).default([]);

/** The fields in a request for a conversation. */
export const routeControlFields = {
  /** The caller's name for the conversation. Its turns go to the same route while that route can handle them. */
  session_id: z.string().max(256).nullish(),
  /** Further models, attempted if every route of the first has failed. */
  models: z.array(reference).max(4, 'must name at most 4 further models').nullish(),
  provider: z
    .strictObject({
      order: references,
      only: references,
      ignore: references,
      allow_fallbacks: z.boolean().default(true),
      /** True: only routes that leave out no field of the request. */
      require_parameters: z.boolean().nullish(),
      max_price: maxPrice.nullish(),
      sort: z.enum(SORTS).nullish(),
    })
    .nullish(),
};

export type RouteControlFields = z.infer<z.ZodObject<typeof routeControlFields>>;

/** Returns the fields of a request that a route receives: every field that is not null, except the routing controls. */
export function forwardedFields({
  models: _models,
  provider: _provider,
  session_id: _session,
  ...fields
}: JsonObject & Partial<RouteControlFields>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== null && value !== undefined),
  );
}

export function controlsOf({ provider }: Pick<RouteControlFields, 'provider'>): RouteControls {
  if (provider == null) return NO_CONTROLS;
  const { order, only, ignore, allow_fallbacks: allowFallbacks, max_price: limit, sort } = provider;
  return {
    order,
    only,
    ignore,
    allowFallbacks,
    requireParameters: provider.require_parameters === true,
    ...(limit == null ? {} : { maxPrice: limit }),
    ...(sort == null ? {} : { sort }),
  };
}
