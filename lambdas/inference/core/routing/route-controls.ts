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

/** The prices of a million tokens. */
export interface TokenPrice {
  readonly prompt: NanoUsd;
  readonly completion: NanoUsd;
}

/** A model's id or alias, or a route's id; they are at most this long in a catalog. */
export const reference = z.string().min(1).max(128);
const references = z.array(reference).max(20).default([]);

/** Names are route ids or protocols. */
const provider = z.strictObject({
  order: references,
  only: references,
  ignore: references,
  /** False: one candidate is attempted, and its failure is returned to the caller. */
  allow_fallbacks: z.boolean().default(true),
  /** True: only routes that leave out no field of the request. */
  require_parameters: z.boolean().nullish(),
  /** The maximum prices of a million tokens, in USD. */
  max_price: z.strictObject({ prompt: usd, completion: usd }).nullish(),
  /** `price`: the model with the lowest price in `models` is first. */
  sort: z.enum(['price']).nullish(),
});

export type RouteControls = z.infer<typeof provider>;

export const NO_CONTROLS: RouteControls = { order: [], only: [], ignore: [], allow_fallbacks: true };

/** The fields in a request for a conversation. */
export const routeControlFields = {
  /** The caller's name for the conversation. Its turns go to the same route while that route can handle them. */
  session_id: z.string().max(256).nullish(),
  /** Further models, attempted if every route of the first has failed. */
  models: z.array(reference).max(4, 'must name at most 4 further models').nullish(),
  provider: provider.nullish(),
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
