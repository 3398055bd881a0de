/** Anthropic's Messages API. */

import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import { usdJson } from '../../../platform/core/money.ts';
import type { EventFormat } from '../../../platform/core/ports.ts';
import type { ApiFormat } from '../../core/completions/api-format.ts';
import type { CallStreamEvent } from '../../core/completions/response-writer.ts';
import { isEventName } from '../../core/upstream/stream-part-builder.ts';
import { MESSAGES_FIELDS } from './fields.ts';
import { toPayload } from './payload.ts';
import { DEFAULT_MAX_TOKENS, isCustomTool, type MessagesRequest } from './request.ts';
import { messagesWriter, usageBody } from './response-writer.ts';

/** Returns the indices of the tools that the protocol defines and that `tool_choice` does not force. */
function optionalTools({ tools, tool_choice: choice }: MessagesRequest): readonly number[] {
  const declaredTools = tools ?? [];
  if (choice?.type === 'any' && !declaredTools.some(isCustomTool)) return [];
  const isChosen = declaredTools.some(({ name }) => choice?.type === 'tool' && name === choice.name);
  return declaredTools.flatMap((tool, index) => {
    // A tool set has no name, so a chosen name that no other tool has may be in the set.
    const isForced =
      choice?.type === 'tool' && (isChosen ? tool.name === choice.name : tool.name === undefined);
    return isCustomTool(tool) || isForced ? [] : [index];
  });
}

/** The request without these tools; no choice is left among none. */
function withoutTools(request: MessagesRequest, indices: ReadonlySet<number>): MessagesRequest {
  const { tools, tool_choice: choice, ...others } = request;
  const remainingTools = (tools ?? []).filter((_tool, index) => !indices.has(index));
  if (remainingTools.length === 0) return others;
  return { ...others, tools: remainingTools, ...(choice == null ? {} : { tool_choice: choice }) };
}

/** A completion as the event stream of Messages (Anthropic API reference, Streaming Messages). */
const encodeEvent = (type: unknown, data: JsonObject) => `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;

const messagesEvents: EventFormat = {
  heartbeat: encodeEvent('ping', { type: 'ping' }),
  errorEvent: (envelope) => encodeEvent('error', envelope),
};

/**
 * Yields the message's events. The last one waits for the settlement, because it contains the usage and the cost. A
 * stream that fails has no last event.
 */
async function* encodeMessagesStream(events: AsyncIterable<CallStreamEvent>): AsyncGenerator<string, void> {
  const ending: JsonObject[] = [];
  for await (const event of events) {
    if (event.type === 'output') {
      const { event: payload } = event;
      // A route's text stands within data alone: elsewhere it could forge other events.
      if (!isEventName(payload.type)) continue;
      const isEnd = payload.type === 'message_delta';
      // A message may change several times; the last change is its end.
      if (isEnd) for (const earlier of ending.splice(0)) yield encodeEvent(earlier.type, earlier);
      if (isEnd || ending.length > 0) ending.push(payload);
      else yield encodeEvent(payload.type, payload);
    } else {
      const usage = { ...usageBody(event.usage), cost: usdJson(event.settlement.record.cost) };
      for (const heldEvent of ending.splice(0))
        yield encodeEvent(
          heldEvent.type,
          heldEvent.type === 'message_delta' ? { ...heldEvent, usage } : heldEvent,
        );
    }
  }
}

export const messagesFormat: ApiFormat<MessagesRequest> = {
  protocol: 'anthropic',
  fields: MESSAGES_FIELDS,
  toPayload,
  optionalTools,
  withoutTools,
  maxTokens: ({ max_tokens: tokens }) => ({
    tokens: tokens ?? undefined,
    param: 'max_tokens',
    fallback: DEFAULT_MAX_TOKENS,
  }),
  withMaxTokens: (request, tokens) => ({
    ...request,
    max_tokens: tokens,
    ...thinkingWithin(request, tokens),
  }),
  choices: () => 1,
  responseId: (ulid) => `msg_${ulid}`,
  createWriter: () => ({ writer: messagesWriter, encode: encodeMessagesStream, events: messagesEvents }),
};

/** The minimum budget (Claude API docs, Extended thinking). A budget must also leave a token for the output. */
const MIN_BUDGET = 1_024;

/** Returns the thinking of a request whose output limit is lowered below the requested one. */
function thinkingWithin({ thinking }: MessagesRequest, tokens: number): Pick<MessagesRequest, 'thinking'> {
  if (thinking?.budget_tokens == null || thinking.budget_tokens < tokens) return {};
  if (tokens <= MIN_BUDGET) return { thinking: { type: 'disabled' } };
  return { thinking: { ...thinking, budget_tokens: tokens - 1 } };
}
