/** Samples of requests: their fields, and the priced features that they request. */

import type { JsonObject } from '../../../../platform/core/json/lossless-json.ts';
import type { PricedFeature } from '../../../core/fields/need.ts';
import type { CallerProtocol } from '../../../core/upstream/provider.ts';

export interface Sample {
  readonly protocol: CallerProtocol;
  /** Fields of the request, which take the place of those of the plain request. */
  readonly fields: JsonObject;
  readonly features: readonly PricedFeature[];
}

/** The messages of a plain request. */
export const messages = [{ role: 'user', content: 'Hi' }];

export const tier = (name: string, param: string): PricedFeature => ({ kind: 'service-tier', name, param });
export const written = (lifetime: string, param: string): PricedFeature => ({
  kind: 'cache-write',
  lifetime,
  param,
});
export const unpriced = (param: string): PricedFeature => ({ kind: 'unpriced', param });
export const serverTool = (name: string, param: string, maxUses?: number): PricedFeature => ({
  kind: 'server-tool',
  name,
  maxUses,
  param,
});
export const tokens = (rate: (PricedFeature & { kind: 'tokens' })['rate'], param: string): PricedFeature => ({
  kind: 'tokens',
  rate,
  param,
});

/** A sample of the protocol of its table. */
export type Row = readonly [fields: JsonObject, ...features: PricedFeature[]];
