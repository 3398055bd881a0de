/** The largest size of a chat response, from the request and its bound. */
import { isPriced } from '../fields/need.ts';
import type { ChatPayload } from '../upstream/provider.ts';

const MB = 1024 * 1024;

/** The bytes around the text of a complete response, and those of a stream with thoughts that its limit does not include. */
const FRAME_BYTES = { json: MB, stream: 16 * MB };

/** A token as JSON, and as an event of a stream. */
const TOKEN_BYTES = { json: 64, stream: 1_024 };

/** Twenty alternatives of a token, each with its bytes as numbers. */
const LOGPROBS_BYTES = 4_096;

/** The bytes of what tools of the provider find, and of pictures and sounds in base64. */
const MEDIA_BYTES = 32 * MB;

/** Returns the most bytes that the response to a request can need, for an output of all its choices, tokens. */
export function responseBytes({ stream, body, fields }: ChatPayload, tokens: number): number {
  const form = stream ? 'stream' : 'json';
  const hasLogprobs = [body.logprobs, body.top_logprobs, body.include].some((value) => value != null);
  const hasMedia =
    body.modalities != null ||
    fields.needs.some(isPriced) ||
    fields.undocumented.some(({ needs }) => needs.length > 0);
  const tokenBytes = TOKEN_BYTES[form] + (hasLogprobs ? LOGPROBS_BYTES : 0);
  return FRAME_BYTES[form] + tokens * tokenBytes + (hasMedia ? MEDIA_BYTES : 0);
}
