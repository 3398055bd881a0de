/** Images of a server of the OpenAI protocol (OpenAI API reference, Create image). */

import type { JsonObject } from '../../../../platform/core/json/lossless-json.ts';
import type { Clock, UpstreamFetch } from '../../../../platform/core/ports.ts';
import type { ProviderCall } from '../../../core/kinds/call-kind.ts';
import type { ImageOutput } from '../../../core/kinds/images/images.ts';
import { isTokenCount } from '../../../core/pricing/token-usage.ts';
import { UpstreamFailure } from '../../../core/upstream/provider.ts';
import { boundedBytes, IMAGE_FILE_BYTES, imageBytes } from '../../response-bytes.ts';
import { type JsonRequest, type OpenAiHttp, requestJson } from '../openai-http.ts';

export interface ImageDependencies extends OpenAiHttp {
  readonly clock: Clock;
  /** Fetches from addresses that a vendor has named. They are untrusted, so it connects to public addresses only. */
  readonly download: UpstreamFetch;
}

/**
 * Returns the successful images and omits those that could not be fetched. Throws the first failure if all failed.
 */
export function imagesOfOpenAi(dependencies: ImageDependencies): ProviderCall<JsonObject, ImageOutput> {
  const { clock, download } = dependencies;
  return async ({ route, payload, clock: { signal }, traceparent }) => {
    const body = { ...payload, model: route.upstream_model };
    const request = {
      route,
      path: '/images/generations',
      body,
      signal,
      traceparent,
      maxBytes: imageBytes(payload.n),
    };
    const { data, created } = await requestImages(dependencies, request);
    const entries = (Array.isArray(data) ? data : []).flatMap(toEntry).slice(0, Number(payload.n));
    if (entries.length === 0) throw new UpstreamFailure('protocol');
    const settled = await Promise.allSettled(
      entries.map(async ({ image, prompt }) => ({
        ...(typeof image === 'string'
          ? { b64_json: image }
          : payload.response_format === 'url'
            ? { url: image.url }
            : { b64_json: await fetchImage(download, image.url, signal) }),
        ...prompt,
      })),
    );
    const images = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    const failed = settled.find((one) => one.status === 'rejected');
    if (images.length === 0 && failed !== undefined) throw failed.reason;
    return { images, created: isTokenCount(created) ? created : Math.floor(clock() / 1000) };
  };
}

/** They always return base64, and reject the field (OpenAI API reference, Create image, `response_format`). */
const GPT_IMAGE = /(^|\/)(chat)?gpt-image/;

/**
 * Sends the request with `response_format`, and again without it if the route rejects the field: the deployment of a
 * GPT image model may have any name. The rejected request has generated nothing.
 */
async function requestImages(http: OpenAiHttp, request: JsonRequest & { readonly body: JsonObject }) {
  const { response_format: _format, ...body } = request.body;
  const withoutFormat = { ...request, body };
  if (GPT_IMAGE.test(request.route.upstream_model)) return requestJson(http, withoutFormat);
  try {
    return await requestJson(http, request);
  } catch (failure) {
    if (!isAboutFormat(failure)) throw failure;
    return requestJson(http, withoutFormat);
  }
}

const isAboutFormat = (failure: unknown): boolean =>
  failure instanceof UpstreamFailure &&
  !failure.retryable &&
  `${failure.param} ${failure.rejection?.reason}`.includes('response_format');

interface Entry {
  /** The image in base64, as the route sent it, or its address. */
  readonly image: string | { readonly url: string };
  readonly prompt: { readonly revised_prompt?: string };
}

/** Returns an image and its revised prompt. No other field of the route reaches a caller. */
function toEntry(value: unknown): Entry[] {
  const { b64_json: data, url, revised_prompt: revised } = Object(value) as JsonObject;
  const prompt = isText(revised) ? { revised_prompt: revised } : {};
  // Some servers have the bytes as a data URL in either field.
  if (isText(data)) return [{ image: data.replace(DATA_URL, ''), prompt }];
  if (!isText(url)) return [];
  if (DATA_URL.test(url)) return [{ image: url.replace(DATA_URL, ''), prompt }];
  return HTTP_URL.test(url) ? [{ image: { url }, prompt }] : [];
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

const DATA_URL = /^data:image\/[\w.+-]{1,64};base64,/i;

/** Longer than any signed address. */
const HTTP_URL = /^https?:\/\/\S{1,8192}$/i;

/** Storage servers often do not report a specific type. */
const IMAGE_TYPE = /^(image\/|(application|binary)\/octet-stream)/i;

/** Returns the bytes of an image in base64. Throws `UpstreamFailure` for everything that goes wrong. */
async function fetchImage(download: UpstreamFetch, url: string, signal: AbortSignal): Promise<string> {
  try {
    const response = await download(url, { signal, redirect: 'error' });
    const { ok, headers, body } = response;
    if (!ok || body === null || !IMAGE_TYPE.test(headers.get('content-type') ?? ''))
      throw new UpstreamFailure('download');
    const chunks: Uint8Array[] = [];
    for await (const chunk of boundedBytes(body, IMAGE_FILE_BYTES)) chunks.push(chunk);
    if (chunks.length === 0) throw new UpstreamFailure('download');
    return Buffer.concat(chunks).toString('base64');
  } catch (cause) {
    throw new UpstreamFailure('download', { cause });
  }
}
