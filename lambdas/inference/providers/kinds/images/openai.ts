/** Images of a server of the OpenAI protocol (OpenAI API reference, Create image). */

import type { JsonObject } from '../../../../platform/core/json/lossless-json.ts';
import type { Clock } from '../../../../platform/core/ports.ts';
import type { ProviderCall } from '../../../core/kinds/call-kind.ts';
import type { ImageOutput } from '../../../core/kinds/images/images.ts';
import { isTokenCount } from '../../../core/pricing/token-usage.ts';
import { UpstreamFailure } from '../../../core/upstream/provider.ts';
import { imageBytes } from '../../response-bytes.ts';
import { type OpenAiHttp, requestJson } from '../openai-http.ts';

export function imagesOfOpenAi(http: OpenAiHttp, clock: Clock): ProviderCall<JsonObject, ImageOutput> {
  return async ({ route, payload, clock: { signal } }) => {
    const body = { ...payload, model: route.upstream_model };
    const request = { route, path: '/images/generations', body, signal, maxBytes: imageBytes(payload.n) };
    const { data, created } = await requestJson(http, request);
    const images = (Array.isArray(data) ? data : []).flatMap(toImage).slice(0, Number(payload.n));
    if (images.length === 0) throw new UpstreamFailure('protocol');
    return { images, created: isTokenCount(created) ? created : Math.floor(clock() / 1000) };
  };
}

/** Returns an image and its revised prompt. No other field of the route reaches a caller. */
function toImage(entry: unknown): JsonObject[] {
  const { b64_json: data, url, revised_prompt: prompt } = Object(entry) as JsonObject;
  const image = { ...(isText(data) ? { b64_json: data } : {}), ...(isAddress(url) ? { url } : {}) };
  if (Object.keys(image).length === 0) return [];
  return [{ ...image, ...(isText(prompt) ? { revised_prompt: prompt } : {}) }];
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** Callers open it. */
const isAddress = (value: unknown): boolean => isText(value) && /^(https?:\/\/|data:image\/)/i.test(value);
