/** Image generation: billed by the images that the route returns. */

import * as z from 'zod';
import { ServiceError } from '../../../../platform/core/errors.ts';
import type { JsonObject } from '../../../../platform/core/json/lossless-json.ts';
import type { Deliver } from '../../call.ts';
import type { Model } from '../../catalog/catalog-document.ts';
import { unpriced, unpricedUnless } from '../../fields/readers.ts';
import { fieldTable } from '../../fields/table.ts';
import { measuredCost } from '../../metering/priced-usage.ts';
import { prepareJson } from '../../paid-endpoint.ts';
import { imageItem } from '../../pricing/bill.ts';
import type { UnitCounts } from '../../pricing/counts.ts';
import { reference, routeControlFields } from '../../routing/route-controls.ts';
import { type CallKind, forwarded, type KindResponse, measuredOutcome } from '../call-kind.ts';

/** ImageRequest (interface, Resources). */
const MAX_IMAGES = 4;

export const IMAGE_SIZES = ['512x512', '768x768', '1024x1024', '1024x768', '768x1024'] as const;

export const imageRequest = z.looseObject({
  model: reference,
  prompt: z.string().min(1),
  n: z.int().min(1).max(MAX_IMAGES).nullish(),
  size: z.enum(IMAGE_SIZES).nullish(),
  /** Images are returned as bytes. `url` is only for routes whose catalog entry allows the vendor's addresses. */
  response_format: z.enum(['url', 'b64_json']).nullish(),
  /** Partial images would need a stream of events, which the interface does not have. */
  stream: z.literal(false, 'must be false: images are returned complete').nullish(),
  user: z.string().nullish(),
  provider: routeControlFields.provider,
});

/** OpenAI API reference, Create image, as in the package `openai` 7.55.0. */
const IMAGE_FIELDS = fieldTable([
  { at: '{prompt,n,size,response_format,stream}', isConverted: true },
  { at: '{quality,background,moderation,style,output_compression,frame_duration_ms,user,safety_identifier}' },
  // Several frames, drawings that a language model writes, planning and partial images have separate prices.
  { at: 'output_format', needs: unpricedUnless('png', 'jpeg', 'webp') },
  { at: '{frame_count,svg,complexity}', needs: unpriced },
  { at: 'partial_images', needs: unpricedUnless(0) },
  { at: '{seed,negative_prompt}', isConverted: true, vendors: 'Stability AI' },
]);

export type ImageRequest = z.infer<typeof imageRequest>;

/**
 * The response of a route: at least one image, and no more images than requested. Each has `b64_json`, or the vendor's
 * `url` if the request is for addresses.
 */
export interface ImageOutput {
  readonly images: readonly JsonObject[];
  /** Seconds since the epoch. */
  readonly created: number;
}

const DEFAULT_SIZE = '1024x1024';

const countOf = ({ n }: ImageRequest): number => n ?? 1;

export const images: CallKind<ImageRequest, ImageOutput> = {
  kind: 'image',
  schema: imageRequest,
  fields: IMAGE_FIELDS,
  stream: false,
  servable(request, model) {
    if (request.response_format !== 'url') return model;
    const routes = model.routes.filter(({ passes_image_urls: passes }) => passes);
    if (routes.length > 0) return { ...model, routes };
    throw new ServiceError(
      'invalid_value',
      `response_format: images of ${model.id} are returned as b64_json only, because an address would be the vendor's.`,
      { param: 'response_format' },
    );
  },
  toPayload(request, model) {
    requirePrice(request, model);
    const format = request.response_format ?? 'b64_json';
    return { size: DEFAULT_SIZE, ...forwarded(request), response_format: format, n: countOf(request) };
  },
  estimate: (request, model) => ({
    tokens: 0,
    amount: measuredCost(model, measured(request, countOf(request))),
  }),
  prepare,
};

/** Qualities that stand for the provider's own choice, which is the price of every image. */
const STANDARD_QUALITIES: ReadonlySet<unknown> = new Set([undefined, null, '', 'auto', 'standard']);

const qualityOf = ({ quality }: ImageRequest): string =>
  typeof quality === 'string' && !STANDARD_QUALITIES.has(quality) ? quality : '';

/** A quality changes what providers charge. Throws 400 `unpriced_feature` for one that the model has no price for. */
function requirePrice({ quality }: ImageRequest, { id, price }: Model): void {
  if (STANDARD_QUALITIES.has(quality)) return;
  const variants = price.unit === 'per_image' ? (price.variants ?? []) : [];
  if (variants.some((variant) => variant.quality === quality)) return;
  throw new ServiceError('unpriced_feature', `quality: ${id} has no price for this quality.`, {
    param: 'quality',
  });
}

const measured = (request: ImageRequest, images: number): UnitCounts => ({
  images: new Map([[imageItem(qualityOf(request), request.size ?? DEFAULT_SIZE), images]]),
});

async function prepare(call: KindResponse<ImageRequest, ImageOutput>): Promise<Deliver> {
  const { request, output, admission } = call;
  const outputUnits = output.images.length;
  const text = JSON.stringify({ created: output.created, data: output.images });
  return prepareJson(call, { text, headers: call.headers }, () =>
    admission.settle(measuredOutcome(call, measured(request, outputUnits), { outputUnits, unit: 'image' })),
  );
}
