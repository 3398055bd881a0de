/**
 * Images of Stability AI on Amazon Bedrock, one a call (Amazon Bedrock user guide, "Stable Image Core request and
 * response", "Stable Image Ultra request and response" and "Stable Diffusion 3.5 Large").
 */

import type { JsonObject } from '../../../../platform/core/json/lossless-json.ts';
import type { Clock } from '../../../../platform/core/ports.ts';
import type { CatalogRoute } from '../../../core/catalog/catalog-document.ts';
import type { ProviderCall } from '../../../core/kinds/call-kind.ts';
import type { ImageOutput } from '../../../core/kinds/images/images.ts';
import { UpstreamFailure } from '../../../core/upstream/provider.ts';
import type { BedrockDependencies } from '../../bedrock/provider.ts';
import { imageBytes } from '../../response-bytes.ts';
import { type Invocation, invoke } from '../bedrock-invoke.ts';

/**
 * The models accept a ratio instead of a number of pixels. A square has about 1024 pixels per side. They support no
 * smaller squares and no ratio of 4:3. The interface's other sizes are rejected, so that no caller receives a size
 * other than the requested one.
 */
const RATIOS: ReadonlyMap<unknown, string> = new Map([['1024x1024', '1:1']]);

/** Returns the successful images and omits the failed ones. Throws the first failure if all failed. */
export function imagesOfBedrock(
  bedrock: BedrockDependencies,
  clock: Clock,
): ProviderCall<JsonObject, ImageOutput> {
  return async ({ route, payload, clock: { signal } }) => {
    requireLivingModel(route);
    const calls = toRequests(payload).map((body) =>
      paint(bedrock, { route, body, signal, maxBytes: imageBytes(1) }),
    );
    const settled = await Promise.allSettled(calls);
    const images = settled.flatMap((call) => (call.status === 'fulfilled' ? [{ b64_json: call.value }] : []));
    const failed = settled.find((call) => call.status === 'rejected');
    if (images.length === 0 && failed !== undefined) throw failed.reason;
    return { images, created: Math.floor(clock() / 1000) };
  };
}

/**
 * Rejects an ended model, Nova Canvas or Titan Image Generator, which a stored catalog may still list. Bedrock would
 * respond that it is not found, and another route may handle the call.
 */
function requireLivingModel({ upstream_model: model }: CatalogRoute): void {
  if (!model.includes('stability.')) throw new UpstreamFailure('status', { status: 404 });
}

/** One body an image. With a seed, each has the next, so that they differ as the images of one call do. */
function toRequests({ prompt, n, size, ...optional }: JsonObject): JsonObject[] {
  const ratio = RATIOS.get(size);
  if (ratio === undefined) throw rejectionOf('size');
  const negative = optional.negative_prompt ?? undefined;
  const seed = optional.seed ?? undefined;
  const body = {
    prompt,
    aspect_ratio: ratio,
    output_format: 'png',
    ...(negative === undefined ? {} : { negative_prompt: negative }),
  };
  return Array.from({ length: Number(n) }, (_, at) => ({
    ...body,
    // 0 requests a random seed (user guide, Stable Image Core).
    ...(seed === undefined ? {} : { seed: typeof seed === 'number' && seed > 0 ? seed + at : seed }),
  }));
}

async function paint(bedrock: BedrockDependencies, invocation: Invocation): Promise<string> {
  const { response } = await invoke(bedrock, invocation);
  const { images, finish_reasons: reasons } = response;
  const [image] = Array.isArray(images) ? images : [];
  const [reason = null] = Array.isArray(reasons) ? reasons : [];
  // The filter applies to the prompt, or to the image that the model generated from it.
  if (typeof reason === 'string' && reason.startsWith('Filter reason')) throw rejectionOf('prompt');
  if (reason !== null || typeof image !== 'string' || image === '') throw new UpstreamFailure('protocol');
  return image;
}

const rejectionOf = (param: string): UpstreamFailure =>
  new UpstreamFailure('status', { status: 400, retryable: false, param });
