/** Images of Amazon Nova Canvas and Titan Image Generator (Amazon Nova user guide, "Request and response structure for image generation"). */

import type { ProviderCall } from '../../../core/inference/kinds/call-kind.ts';
import type { ImageAnswer } from '../../../core/inference/kinds/images/images.ts';
import { UpstreamFailure } from '../../../core/inference/upstream/provider.ts';
import type { JsonObject } from '../../../core/json/lossless-json.ts';
import type { Clock } from '../../../core/ports.ts';
import type { BedrockDependencies } from '../../bedrock/provider.ts';
import { invoke } from '../bedrock-invoke.ts';

export function imagesOfBedrock(
  bedrock: BedrockDependencies,
  clock: Clock,
): ProviderCall<JsonObject, ImageAnswer> {
  return async ({ route, payload, clock: { signal } }) => {
    // These models answer with the images themselves, and the service keeps none that an address could name.
    if (payload.response_format === 'url')
      throw new UpstreamFailure('status', { status: 400, retryable: false, param: 'response_format' });
    const { answer } = await invoke(bedrock, { route, body: toRequest(payload), signal });
    const returned: readonly unknown[] = Array.isArray(answer.images) ? answer.images : [];
    const images = returned
      .filter((image) => typeof image === 'string' && image !== '')
      .slice(0, Number(payload.n))
      .map((image) => ({ b64_json: image }));
    if (images.length === 0) throw new UpstreamFailure('protocol');
    return { images, created: Math.floor(clock() / 1000) };
  };
}

function toRequest({ prompt, n, size }: JsonObject): JsonObject {
  const [width, height] = String(size).split('x').map(Number);
  return {
    taskType: 'TEXT_IMAGE',
    textToImageParams: { text: prompt },
    imageGenerationConfig: { numberOfImages: n, width, height, quality: 'standard' },
  };
}
