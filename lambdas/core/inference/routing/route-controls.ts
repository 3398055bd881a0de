/** The caller's say in routing: additive fields of a request, the same on both conversational surfaces. */
import * as z from 'zod';
import type { JsonObject } from '../../json/lossless-json.ts';

/** Names are route ids or protocols. */
export interface RouteControls {
  readonly order: readonly string[];
  readonly only: readonly string[];
  readonly ignore: readonly string[];
  /** False: one candidate is tried, and its failure is the caller's answer. */
  readonly allowFallbacks: boolean;
}

export const NO_CONTROLS: RouteControls = { order: [], only: [], ignore: [], allowFallbacks: true };

/** A model's id or alias, or a route's id; they are at most this long in a catalog. */
export const reference = z.string().min(1).max(128);
const references = z.array(reference).max(20).default([]);

/** The fields in a request for a conversation. */
export const routeControlFields = {
  /** The caller's name for the conversation: its turns go to the same route while that can serve. */
  session_id: z.string().max(256).nullish(),
  /** Further models, tried when every route of the first has failed. */
  models: z.array(reference).max(4, 'must name at most 4 further models').nullish(),
  provider: z
    .strictObject({
      order: references,
      only: references,
      ignore: references,
      allow_fallbacks: z.boolean().default(true),
    })
    .nullish(),
};

export type RouteControlFields = z.infer<z.ZodObject<typeof routeControlFields>>;

/** What of a request is a route's business: every other field that is not null. */
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
  const { order, only, ignore, allow_fallbacks: allowFallbacks } = provider;
  return { order, only, ignore, allowFallbacks };
}
