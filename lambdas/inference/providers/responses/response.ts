/** A whole answer of a server of the Responses protocol (OpenAI API reference, The response object). */
import type { Reply, RouteAttempt } from '../../core/upstream/provider.ts';
import { UpstreamFailure } from '../../core/upstream/provider.ts';
import { objectOf } from '../http-upstream.ts';
import { itemsOf, partsOf, textOfItem, toFinish } from '../openai-formats/items.ts';
import { ResponseFields } from '../openai-formats/response-fields.ts';
import { failureOf } from './errors.ts';
import { toUsage } from './usage.ts';

export type ResponsesCallContext = Pick<RouteAttempt, 'payload' | 'identity' | 'signatures'>;

/**
 * The answer: under our own ids and model name for a caller of this protocol, else as a reply of no protocol. Throws
 * `UpstreamFailure` when it is no response that has ended well.
 */
export function toReply(
  body: unknown,
  { payload, identity, signatures }: ResponsesCallContext,
): Extract<Reply, { kind: 'json' }> {
  const response = objectOf(body);
  const { status = 'completed', error } = response;
  if (status === 'failed' || (error !== undefined && error !== null)) throw failureOf(error);
  if (status !== 'completed' && status !== 'incomplete') throw new UpstreamFailure('protocol');
  const items = itemsOf(response.output);
  const native = payload.protocol === 'openai-responses';
  const context = { answerId: identity.id, signatures };
  const parts = native ? [] : items.flatMap((item, place) => partsOf(item, place, context));
  const hasCalls = parts.some(({ type }) => type === 'tool-call');
  return {
    kind: 'json',
    answer: native
      ? { body: new ResponseFields(identity, signatures).response(response) }
      : { reply: { parts, finish: toFinish(response, hasCalls) } },
    text: items.map(textOfItem).join(''),
    usage: toUsage(response, { native, tools: payload.body.tools }),
  };
}
