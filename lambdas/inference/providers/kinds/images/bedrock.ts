/**
 * Images of Stability AI on Amazon Bedrock, one a call (Amazon Bedrock user guide, "Stable Image Core request and
 * response", "Stable Image Ultra request and response" and "Stable Diffusion 3.5 Large").
 */

import type { JsonObject } from '../../../../platform/core/json/lossless-json.ts';
import type { Clock } from '../../../../platform/core/ports.ts';
import type { CatalogRoute } from '../../../core/catalog/catalog-document.ts';
import type { ProviderCall } from '../../../core/kinds/call-kind.ts';
import type { ImageAnswer } from '../../../core/kinds/images/images.ts';
import { UpstreamFailure } from '../../../core/upstream/provider.ts';
import type { BedrockDependencies } from '../../bedrock/provider.ts';
import { type Invocation, invoke } from '../bedrock-invoke.ts';

/**
 * The models take a ratio and no number of pixels: a square has about 1024 to a side. They make no smaller squares and
 * know no ratio of 4:3, so the interface's other sizes are refused: nobody gets another size than the one asked for.
 */
const RATIOS: ReadonlyMap<unknown, string> = new Map([['1024x1024', '1:1']]);

/** The images that came: those that failed beside them are missing. Throws the first failure where none came. */
export function imagesOfBedrock(
  bedrock: BedrockDependencies,
  clock: Clock,
): ProviderCall<JsonObject, ImageAnswer> {
  return async ({ route, payload, clock: { signal } }) => {
    requireLivingModel(route);
    const calls = toRequests(payload).map((body) => paint(bedrock, { route, body, signal }));
    const settled = await Promise.allSettled(calls);
    const images = settled.flatMap((call) => (call.status === 'fulfilled' ? [{ b64_json: call.value }] : []));
    const failed = settled.find((call) => call.status === 'rejected');
    if (images.length === 0 && failed !== undefined) throw failed.reason;
    return { images, created: Math.floor(clock() / 1000) };
  };
}

/**
 * A stored catalog may name a model that has ended, Nova Canvas or Titan Image Generator; Bedrock would answer that it
 * is not found, and another route may serve.
 */
function requireLivingModel({ upstream_model: model }: CatalogRoute): void {
  if (!model.includes('stability.')) throw new UpstreamFailure('status', { status: 404 });
}

/** One body an image. With a seed, each has the next, so that they differ as the images of one call do. */
function toRequests({ prompt, n, size, response_format: format, ...optional }: JsonObject): JsonObject[] {
  // These models answer with the images themselves, and the service keeps none that an address could name.
  if (format === 'url') throw refusedFor('response_format');
  const ratio = RATIOS.get(size);
  if (ratio === undefined) throw refusedFor('size');
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
    // 0 asks for any seed (user guide, Stable Image Core).
    ...(seed === undefined ? {} : { seed: typeof seed === 'number' && seed > 0 ? seed + at : seed }),
  }));
}

async function paint(bedrock: BedrockDependencies, invocation: Invocation): Promise<string> {
  const { answer } = await invoke(bedrock, invocation);
  const { images, finish_reasons: reasons } = answer;
  const [image] = Array.isArray(images) ? images : [];
  const [reason = null] = Array.isArray(reasons) ? reasons : [];
  // The filter is about the prompt, or about what it made the model draw.
  if (typeof reason === 'string' && reason.startsWith('Filter reason')) throw refusedFor('prompt');
  if (reason !== null || typeof image !== 'string' || image === '') throw new UpstreamFailure('protocol');
  return image;
}

const refusedFor = (param: string): UpstreamFailure =>
  new UpstreamFailure('status', { status: 400, retryable: false, param });
