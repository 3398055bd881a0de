/** Image generation: billed by the images that the route returns. */

import type { JsonObject } from '../../../json/lossless-json.ts';
import { exactly, imageCost } from '../../catalog/price.ts';
import type { Deliver } from '../../paid-endpoint.ts';
import { type CallKind, forwarded, type KindCall, prepareJson } from '../call-kind.ts';
import { type ImageRequest, imageRequest } from './schema.ts';

/** What a route answers: at least one image, each with `b64_json` or `url`, and not more than were asked for. */
export interface ImageAnswer {
  readonly images: readonly JsonObject[];
  /** Seconds since the epoch. */
  readonly created: number;
}

const DEFAULT_SIZE = '1024x1024';

const countOf = ({ n }: ImageRequest): number => n ?? 1;

export const images: CallKind<ImageRequest, ImageAnswer> = {
  kind: 'image',
  schema: imageRequest,
  stream: false,
  toPayload: (request) => ({ size: DEFAULT_SIZE, ...forwarded(request), n: countOf(request) }),
  estimate: (request, model) => ({
    tokens: 0,
    mostTokens: 0,
    ...exactly(imageCost(model, countOf(request))),
  }),
  prepare,
};

async function prepare(call: KindCall<ImageRequest, ImageAnswer>): Promise<Deliver> {
  const { answer, admission, candidate } = call;
  const { model, route } = candidate;
  const text = JSON.stringify({ created: answer.created, data: answer.images });
  return prepareJson(call, text, () =>
    admission.settle({
      model: model.id,
      inputUnits: 0,
      cachedUnits: 0,
      outputUnits: answer.images.length,
      unit: 'image',
      cost: imageCost(model, answer.images.length),
      estimated: false,
      route: route.id,
      status: 'completed',
      tokens: 0,
    }),
  );
}
