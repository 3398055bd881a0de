/** An answer's body without its content coding, for servers that compress though they were not asked to. */
import type { IncomingMessage } from 'node:http';
import { pipeline, type Readable, type Transform } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

/** Each chunk is given on at once, and a stream that lacks its trailer ends well, as in browsers. */
const FLUSH = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };

/** By the names of RFC 9110, section 8.4.1, and RFC 7932. */
const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: () => createGunzip(FLUSH),
  'x-gzip': () => createGunzip(FLUSH),
  deflate: () => createInflate(FLUSH),
  br: () =>
    createBrotliDecompress({
      flush: constants.BROTLI_OPERATION_FLUSH,
      finishFlush: constants.BROTLI_OPERATION_FLUSH,
    }),
};

/** The body as it was before it was encoded; one in a coding that is not known here as it came. */
export function decodedBody(answer: IncomingMessage): Readable {
  const coding = answer.headers['content-encoding']?.trim().toLowerCase() ?? '';
  const decoder = Object.hasOwn(DECODERS, coding) ? DECODERS[coding]?.() : undefined;
  if (decoder === undefined) return answer;
  // Ends either when the other does; the decoder reports the failure of both.
  return pipeline(answer, decoder, () => {});
}
