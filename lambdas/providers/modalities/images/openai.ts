/** Images of a server of the OpenAI protocol (OpenAI API reference, Create image). */
import type { ImageAnswer } from '../../../core/inference/images/modality.ts';
import type { Serve } from '../../../core/inference/modality.ts';
import { type JsonObject, UpstreamFailure } from '../../../core/inference/provider.ts';
import type { Clock } from '../../../core/ports.ts';
import { askForJson, type OpenAiHttp } from '../openai-http.ts';

export function imagesOfOpenAi(http: OpenAiHttp, clock: Clock): Serve<JsonObject, ImageAnswer> {
  return async ({ route, payload, clock: { signal } }) => {
    const body = { ...payload, model: route.upstream_model };
    const { data, created } = await askForJson(http, { route, path: '/images/generations', body, signal });
    const images = (Array.isArray(data) ? data : []).filter(isImage).slice(0, Number(payload.n));
    if (images.length === 0) throw new UpstreamFailure('protocol');
    return { images, created: Number.isSafeInteger(created) ? Number(created) : Math.floor(clock() / 1000) };
  };
}

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';

const isImage = (entry: JsonObject | null): entry is JsonObject =>
  isText(entry?.b64_json) || isText(entry?.url);
