/** How samples of requests are written: the fields that ask, and what they ask for. */
import type { Demand } from '../../../../../lambdas/core/inference/levers/demand.ts';
import type { JsonObject } from '../../../../../lambdas/core/json/lossless-json.ts';
import type { Protocol } from '../schemas/published.ts';

export interface Sample {
  readonly protocol: Protocol;
  /** Fields of the request, which take the place of those of the plain request. */
  readonly fields: JsonObject;
  readonly demands: readonly Demand[];
}

/** The messages of a plain request. */
export const said = [{ role: 'user', content: 'Hi' }];

export const tier = (name: string, param: string): Demand => ({ kind: 'service-tier', name, param });
export const written = (lifetime: string, param: string): Demand => ({
  kind: 'cache-write',
  lifetime,
  param,
});
export const unpriced = (param: string): Demand => ({ kind: 'unpriced', param });
export const feature = (name: string, param: string, maxUses?: number): Demand => ({
  kind: 'feature',
  name,
  maxUses,
  param,
});
export const tokens = (rate: (Demand & { kind: 'tokens' })['rate'], param: string): Demand => ({
  kind: 'tokens',
  rate,
  param,
});

/** A sample of the protocol of its table. */
export type Row = readonly [fields: JsonObject, ...demands: Demand[]];
