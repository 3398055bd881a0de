/** Anthropic's Messages API. */

import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import { usdJson } from '../../../platform/core/money.ts';
import type { EventFormat } from '../../../platform/core/ports.ts';
import type { ApiFormat } from '../../core/completions/api-format.ts';
import { DEFAULT_MAX_TOKENS } from '../../core/completions/output-default.ts';
import type { StreamEncoder } from '../../core/completions/response-writer.ts';
import { isEventName } from '../../core/upstream/stream-part-builder.ts';
import { toolNamesOf } from './conversation.ts';
import { MESSAGES_FIELDS } from './fields.ts';
import { toPayload } from './payload.ts';
import { isCustomTool, type MessagesRequest } from './request.ts';
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
const encodeEvent = (data: JsonObject, type = data.type) =>
  `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;

const messagesEvents: EventFormat = {
  heartbeat: encodeEvent({ type: 'ping' }),
  errorEvent: (envelope) => encodeEvent(envelope, 'error'),
};

/**
 * Encodes the message's events. The last ones wait for the settlement, because they contain the usage and the cost. A
 * stream that fails does not have them.
 */
function messagesEncoder(): StreamEncoder {
  /** The last change of the message, and what follows it. */
  let ending: readonly JsonObject[] = [];
  return {
    output(event) {
      // A route's text stands within data alone: elsewhere it could forge other events.
      if (!isEventName(event.type)) return [];
      if (event.type === 'message_delta') {
        // A message may change several times; the last change is its end.
        const earlierEvents = ending;
        ending = [event];
        return earlierEvents.map((earlier) => encodeEvent(earlier));
      }
      if (ending.length === 0) return [encodeEvent(event)];
      ending = [...ending, event];
      return [];
    },
    end(tokenUsage, { record }) {
      const usage = { ...usageBody(tokenUsage), cost: usdJson(record.cost) };
      return ending
        .map((event) => encodeEvent(event.type === 'message_delta' ? { ...event, usage } : event))
        .join('');
    },
  };
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
  createWriter: ({ request }) => {
    const names = toolNamesOf(request);
    return {
      writer: (options) => messagesWriter(options, names),
      encoder: messagesEncoder(),
      events: messagesEvents,
    };
  },
};

/** The minimum budget (Claude API docs, Extended thinking). A budget must also leave a token for the output. */
const MIN_BUDGET = 1_024;

/** Returns the thinking of a request whose output limit is lowered below the requested one. */
function thinkingWithin({ thinking }: MessagesRequest, tokens: number): Pick<MessagesRequest, 'thinking'> {
  if (thinking?.budget_tokens == null || thinking.budget_tokens < tokens) return {};
  if (tokens <= MIN_BUDGET) return { thinking: { type: 'disabled' } };
  return { thinking: { ...thinking, budget_tokens: tokens - 1 } };
}
