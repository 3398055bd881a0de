/**
 * A response in the Responses format: a complete response, or the events of a stream, still without numbers and usage.
 */
import type { JsonObject } from '../../../../platform/core/json/lossless-json.ts';
import type { Clock } from '../../../../platform/core/ports.ts';
import type { ResponseWriter, WriterOptions } from '../../../core/completions/response-writer.ts';
import type { AssistantOutput, AssistantPart, StreamPart } from '../../../core/upstream/conversation.ts';
import type { ToolNames } from '../tool-names.ts';
import {
  endingBody,
  nativeEnding,
  OPENING_EVENTS,
  openingBody,
  type ResponseOptions,
  usageBody,
} from './body.ts';
import { customInput } from './custom-input.ts';
import { ResponsesEventWriter } from './event-writer.ts';
import {
  callItem,
  callKind,
  contentPart,
  type ItemStatus,
  itemId,
  messageItem,
  type OutputItemSealer,
  reasoningItem,
} from './items.ts';

export interface ResponsesWriterOptions extends ResponseOptions {
  readonly names: ToolNames;
  readonly outgoing: OutputItemSealer;
  readonly clock: Clock;
}

export function responsesWriter(
  options: ResponsesWriterOptions,
  { identity: { model }, losesEffort }: Pick<WriterOptions, 'identity' | 'losesEffort'>,
): ResponseWriter {
  const { request, responseId, names, outgoing, clock } = options;
  const isEffortLost = () => request.reasoning?.effort != null && losesEffort?.() === true;
  const opening = () =>
    openingBody(options, { model, ...(isEffortLost() ? { reasoning: { effort: null } } : {}) });
  const events = new ResponsesEventWriter(responseId, names);
  let hasStarted = false;
  return {
    body(response, usage) {
      const body =
        'body' in response
          ? {
              ...openingBody(options, { ...response.body, model }),
              ...nativeEnding(response.body),
              output: outgoing.sealAll(outputOf(response.body)),
            }
          : {
              ...opening(),
              ...endingBody(response.output.finish, hasRefusal(response.output), clock()),
              output: outgoing.sealAll(itemsOf(response.output, responseId, names)),
            };
      return JSON.stringify({ ...body, usage: usageBody(usage) });
    },
    events(part) {
      const opened: JsonObject[] = hasStarted ? [] : [{ type: OPENING_EVENTS[0], response: opening() }];
      hasStarted = true;
      return [...opened, ...written(part)];
    },
  };

  function written(part: StreamPart): JsonObject[] {
    if (part.type !== 'finish') return events.write(part);
    const endEvents = events.finish(part);
    const ending = endingBody(part, events.declined, clock());
    const type = ending.status === 'incomplete' ? 'response.incomplete' : 'response.completed';
    return [...endEvents, { type, response: { ...opening(), ...ending } }];
  }
}

const outputOf = ({ output }: JsonObject): readonly JsonObject[] =>
  Array.isArray(output) ? (output as JsonObject[]) : [];

const hasRefusal = ({ parts }: AssistantOutput): boolean => parts.some(({ type }) => type === 'refusal');

/** Returns the items of a response. Consecutive texts are parts of one message. */
function itemsOf({ parts, finish }: AssistantOutput, responseId: string, names: ToolNames): JsonObject[] {
  const items: JsonObject[] = [];
  let content: JsonObject[] = [];
  const endMessage = (status: ItemStatus) => {
    if (content.length > 0)
      items.push(messageItem(itemId('message', responseId, items.length), status, content));
    content = [];
  };
  for (const part of parts) {
    if (part.type === 'text' || part.type === 'refusal') {
      content.push(contentPart(part));
      continue;
    }
    endMessage('completed');
    items.push(itemOf(part, items.length, responseId, names));
  }
  endMessage(finish.reason === 'length' || finish.reason === 'context' ? 'incomplete' : 'completed');
  return items;
}

function itemOf(
  part: Extract<AssistantPart, { type: 'reasoning' | 'tool-call' }>,
  index: number,
  responseId: string,
  names: ToolNames,
): JsonObject {
  if (part.type === 'reasoning')
    return reasoningItem(itemId('reasoning', responseId, index), part.text, part.signature);
  const { id: callId, name, arguments: written } = part;
  const kind = callKind(names, name);
  const text = kind === 'custom call' ? customInput(written) : written === '' ? '{}' : written;
  return callItem({ id: itemId(kind, responseId, index), callId, name, status: 'completed', text }, names);
}
