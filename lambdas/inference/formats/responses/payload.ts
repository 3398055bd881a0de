/** A Responses request as routes get it. */
import { ServiceError } from '../../../platform/core/errors.ts';
import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import { builtOnce, readPayload } from '../../core/completions/forwarded-fields.ts';
import { forwardedFields } from '../../core/routing/route-controls.ts';
import type { ChatPayload } from '../../core/upstream/provider.ts';
import type { SealedTokens } from '../../core/upstream/sealed-tokens.ts';
import { toConversation } from './conversation.ts';
import { RESPONSES_FIELDS } from './fields.ts';
import type { ResponsesItem } from './input/items.ts';
import { resolveItems } from './input/references.ts';
import { maxTokensOf, type ResponsesRequest } from './request.ts';

/**
 * Returns the request with its complete input, without nulls, and without the fields that only the service uses. Throws
 * 400:
 * - `state_not_kept` for a request that continues stored state or requests storage.
 * - `invalid_capsule` for reasoning that was changed.
 * - `invalid_value` for an output without its call, and for an image or a file on a private network.
 */
export function toPayload(request: ResponsesRequest, sealedTokens: SealedTokens): ChatPayload {
  rejectState(request);
  const { input } = request;
  const resolved = typeof input === 'string' ? undefined : resolveItems(input, sealedTokens);
  const items = resolved?.map(({ item }) => item);
  if (items?.length === 0)
    throw new ServiceError('invalid_value', 'input: holds nothing that a model can be given.', {
      param: 'input',
    });
  const body: JsonObject = { ...forwardedFields(request), input: items ?? input, store: false };
  const inputItems = items ?? [{ type: 'message', role: 'user', content: input }];
  return payloadOf(request, inputItems, {
    protocol: 'openai-responses',
    ...readPayload(RESPONSES_FIELDS, body, 'input'),
    stream: request.stream === true,
  });
}

/** Returns the payload with its conversation, which is created once. The output limit is the caller's or set later. */
function payloadOf(
  request: ResponsesRequest,
  items: readonly ResponsesItem[],
  fixed: Omit<ChatPayload, 'conversation' | 'limitedTo'>,
): ChatPayload {
  const within = (maxTokens: number) => builtOnce(() => toConversation(request, items, maxTokens));
  const maxTokens = maxTokensOf(request);
  if (maxTokens !== undefined) return { ...fixed, conversation: within(maxTokens) };
  return {
    ...fixed,
    conversation: () => {
      throw new Error('the output of this payload has no bound; take it from limitedTo');
    },
    limitedTo: (tokenLimit) => {
      const { body, bodyWith } = fixed;
      const limited = (unlimited: JsonObject) => ({ ...unlimited, max_output_tokens: tokenLimit });
      return {
        ...fixed,
        body: limited(body),
        ...(bodyWith === undefined ? {} : { bodyWith: (takes) => limited(bodyWith(takes)) }),
        conversation: within(tokenLimit),
      };
    },
  };
}

/** Fields that are rejected because they need storage, each with what to send instead. */
const STATE_FIELDS: readonly (readonly [string, string])[] = [
  ['previous_response_id', 'send the whole conversation in input'],
  ['conversation', 'send the whole conversation in input'],
  ['background', 'send the request without it, and with stream for a response that takes long'],
  ['store', 'send store: false, and in every turn the whole conversation in input'],
];

/** Rejects requests that need stored state. Nothing of a request or a response is stored. */
function rejectState(request: ResponsesRequest): void {
  for (const [field, instead] of STATE_FIELDS) {
    const value = request[field];
    if (value === null || value === undefined || value === false || value === '') continue;
    throw new ServiceError('state_not_kept', `${field}: this service stores no responses; ${instead}.`, {
      param: field,
    });
  }
}
