/** The bound of a route's response by its size, and the sizes that calls can need. */

import { Readable } from 'node:stream';
import type { JsonObject } from '../../platform/core/json/lossless-json.ts';
import type { UpstreamResponse } from '../../platform/core/ports.ts';
import { UpstreamFailure } from '../core/upstream/provider.ts';

const MB = 1024 * 1024;

/** The bytes that a response of any kind has around its content. */
const FRAME_BYTES = MB;

/** The vectors whose length neither the request nor the catalog names have at most so many numbers. */
const MOST_DIMENSIONS = 8_192;

/** A number of a vector, with its sign, exponent and comma. */
const NUMBER_BYTES = 25;

/** Returns the most bytes of the embeddings of that many inputs. */
export const embeddingBytes = (inputs: number, dimensions: unknown): number =>
  FRAME_BYTES + inputs * (typeof dimensions === 'number' ? dimensions : MOST_DIMENSIONS) * NUMBER_BYTES;

/** An image of 2,048 by 2,048 pixels without compression. No size of the interface is larger. */
const IMAGE_BYTES = 2_048 * 2_048 * 4;

/** Returns the most bytes of that many images in base64. */
export const imageBytes = (images: unknown): number => FRAME_BYTES + (Number(images) * IMAGE_BYTES * 4) / 3;

/** The most bytes of an image file, with its metadata. */
export const IMAGE_FILE_BYTES = FRAME_BYTES + IMAGE_BYTES;

/** A character of a language of syllables lasts a third of a second, of WAV at 48 kHz at most. */
const SPOKEN_BYTES = 32 * 1024;

/** Returns the most bytes of the speech of a text, which is longer if it is slower. */
export const speechBytes = ({ input, speed }: JsonObject): number =>
  FRAME_BYTES + (String(input).length * SPOKEN_BYTES) / (typeof speed === 'number' ? Math.min(speed, 1) : 1);

/** Returns the most bytes of a transcript, with the times of each word. A recording has 750 bytes a second at least. */
export const transcriptBytes = (recordingBytes: number): number => FRAME_BYTES + 2 * recordingBytes;

/** Yields the bytes of a response. Throws `UpstreamFailure` at the first byte too many, and closes its connection. */
export async function* boundedBytes(
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<Uint8Array, void> {
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw new UpstreamFailure('protocol');
    yield chunk;
  }
}

/** The text of a response; see `boundedBytes`. */
export async function boundedText({ body }: UpstreamResponse, maxBytes: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  if (body === null) return text;
  for await (const bytes of boundedBytes(body, maxBytes)) text += decoder.decode(bytes, { stream: true });
  return text + decoder.decode();
}

/**
 * Returns a middleware of an AWS client, which would read a response whole. With low priority in the step `deserialize`, it
 * has the response before the client.
 */
export const boundedResponse =
  (maxBytes: number) =>
  <Args, Result extends { response: unknown }>(next: (args: Args) => Promise<Result>) =>
  async (args: Args): Promise<Result> => {
    const result = await next(args);
    const response = Object(result.response) as { body?: unknown };
    if (response.body instanceof Readable)
      response.body = Readable.from(boundedBytes(response.body, maxBytes), { objectMode: false });
    return result;
  };
