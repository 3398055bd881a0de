/** Anthropic's Messages API. */

import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import { usdJson } from '../../../platform/core/money.ts';
import type { EventFormat } from '../../../platform/core/ports.ts';
import type { ApiFormat } from '../../core/completions/api-format.ts';
import type { StreamEvent } from '../../core/completions/delivery.ts';
import { isEventName } from '../../core/upstream/stream-blocks.ts';
import { MESSAGES_FIELDS } from './fields.ts';
import { toPayload } from './payload.ts';
import { messagesWriter, usageBody } from './reply.ts';
import { DEFAULT_MAX_TOKENS, isCustomTool, type MessagesRequest } from './request.ts';

/** Returns the indices of the tools that the protocol defines and that `tool_choice` does not force. */
function optionalTools({ tools, tool_choice: choice }: MessagesRequest): readonly number[] {
  const given = tools ?? [];
  if (choice?.type === 'any' && !given.some(isCustomTool)) return [];
  const isChosen = given.some(({ name }) => choice?.type === 'tool' && name === choice.name);
  return given.flatMap((tool, index) => {
    // A set of tools has no name of its own: a chosen name that no other tool has may be in it.
    const isForced =
      choice?.type === 'tool' && (isChosen ? tool.name === choice.name : tool.name === undefined);
    return isCustomTool(tool) || isForced ? [] : [index];
  });
}

/** The request without these tools; no choice is left among none. */
function withoutTools(request: MessagesRequest, indices: ReadonlySet<number>): MessagesRequest {
  const { tools, tool_choice: choice, ...others } = request;
  const left = (tools ?? []).filter((_tool, index) => !indices.has(index));
  if (left.length === 0) return others;
  return { ...others, tools: left, ...(choice == null ? {} : { tool_choice: choice }) };
}

/** A completion as the event stream of Messages (Anthropic API reference, Streaming Messages). */
const frame = (type: unknown, data: JsonObject) => `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;

const messagesEvents: EventFormat = {
  heartbeat: frame('ping', { type: 'ping' }),
  errorEvent: (envelope) => frame('error', envelope),
};

/** The message's events. Its end waits for the settlement, whose figures and cost it carries; a stream that fails has none. */
async function* messagesFrames(events: AsyncIterable<StreamEvent>): AsyncGenerator<string, void> {
  const ending: JsonObject[] = [];
  for await (const event of events) {
    if (event.type === 'output') {
      const { payload } = event;
      // A route's text stands within data alone: elsewhere it could forge other events.
      if (!isEventName(payload.type)) continue;
      const isEnd = payload.type === 'message_delta';
      // A message may change several times; the last change is its end.
      if (isEnd) for (const earlier of ending.splice(0)) yield frame(earlier.type, earlier);
      if (isEnd || ending.length > 0) ending.push(payload);
      else yield frame(payload.type, payload);
    } else {
      const usage = { ...usageBody(event.usage), cost: usdJson(event.settlement.record.cost) };
      for (const held of ending.splice(0))
        yield frame(held.type, held.type === 'message_delta' ? { ...held, usage } : held);
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
  answerId: (ulid) => `msg_${ulid}`,
  answer: () => ({ writer: messagesWriter, frames: messagesFrames, events: messagesEvents }),
};

/** A budget must leave a token for the answer, and has a least size (Claude API docs, Extended thinking). */
const LEAST_BUDGET = 1_024;

/** The thinking of a request whose answer becomes shorter than it was asked for. */
function thinkingWithin({ thinking }: MessagesRequest, tokens: number): Pick<MessagesRequest, 'thinking'> {
  if (thinking?.budget_tokens == null || thinking.budget_tokens < tokens) return {};
  if (tokens <= LEAST_BUDGET) return { thinking: { type: 'disabled' } };
  return { thinking: { ...thinking, budget_tokens: tokens - 1 } };
}
