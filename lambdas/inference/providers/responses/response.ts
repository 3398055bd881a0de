/** A complete response of a server of the Responses protocol (OpenAI API reference, The response object). */

import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import type { RouteAttempt, RouteResponse } from '../../core/upstream/provider.ts';
import { UpstreamFailure } from '../../core/upstream/provider.ts';
import { CallIds } from '../../core/upstream/tool-calls.ts';
import { objectOf } from '../http-upstream.ts';
import { itemsOf, partsOf, textOfItem, toFinish } from '../openai-formats/items.ts';
import { ResponseFields } from '../openai-formats/response-fields.ts';
import { failureOf } from './errors.ts';
import { toUsage } from './usage.ts';

export type ResponsesCallContext = Pick<RouteAttempt, 'payload' | 'identity' | 'signatures'>;

/** The states of a response that failed. */
export const FAILED: ReadonlySet<unknown> = new Set(['failed', 'cancelled']);

/** Throws the failure that a response reports, or the reason for its end, and for a response that has not ended. */
export function requireGoodEnd(response: JsonObject): void {
  const { status, error } = response;
  if (FAILED.has(status) || (error !== undefined && error !== null)) throw failureOf(error);
  if (![undefined, null, 'completed', 'incomplete'].includes(status as string))
    throw new UpstreamFailure('protocol');
  toFinish(response, false);
}

/**
 * Returns the response. For a caller of this protocol, it has the service's ids and model name. Otherwise it is
 * protocol-independent. Throws `UpstreamFailure` if the body is not a response that ended successfully.
 */
export function toRouteResponse(
  body: unknown,
  { payload, identity, signatures }: ResponsesCallContext,
): Extract<RouteResponse, { kind: 'json' }> {
  const response = objectOf(body);
  requireGoodEnd(response);
  const items = itemsOf(response.output);
  const native = payload.protocol === 'openai-responses';
  const context = { callIds: new CallIds(identity.id), signatures };
  const parts = native ? [] : items.flatMap((item, index) => partsOf(item, index, context));
  const hasCalls = parts.some(({ type }) => type === 'tool-call');
  return {
    kind: 'json',
    completeResponse: native
      ? { body: new ResponseFields(identity, signatures).response(response) }
      : { output: { parts, finish: toFinish(response, hasCalls) } },
    outputText: items.map(textOfItem).join(''),
    usage: toUsage(response, { native, tools: payload.body.tools }),
  };
}
