/** An answer in the Responses format: a whole response, or the events of a stream, yet without numbers and usage. */
import type { JsonObject } from '../../../../platform/core/json/lossless-json.ts';
import type { Clock } from '../../../../platform/core/ports.ts';
import type { ReplyWriter, WriterOptions } from '../../../core/completions/reply-writer.ts';
import type { AssistantPart, AssistantReply, StreamPart } from '../../../core/upstream/conversation.ts';
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
import {
  callItem,
  callKind,
  contentPart,
  type ItemStatus,
  itemId,
  messageItem,
  type OutgoingItems,
  reasoningItem,
} from './items.ts';
import { ItemEvents } from './stream.ts';

export interface ResponsesWriterOptions extends ResponseOptions {
  readonly names: ToolNames;
  readonly outgoing: OutgoingItems;
  readonly clock: Clock;
}

export function responsesWriter(
  options: ResponsesWriterOptions,
  { identity }: Pick<WriterOptions, 'identity'>,
): ReplyWriter {
  const { answerId, names, outgoing, clock } = options;
  const opening = () => openingBody(options, identity.model);
  const events = new ItemEvents(answerId, names);
  let begun = false;
  return {
    whole(answer, usage) {
      const body =
        'body' in answer
          ? { ...nativeEnding(answer.body), output: outgoing.all(outputOf(answer.body)) }
          : {
              ...endingBody(answer.reply.finish, hasRefusal(answer.reply), clock()),
              output: outgoing.all(itemsOf(answer.reply, answerId, names)),
            };
      return JSON.stringify({ ...opening(), ...body, usage: usageBody(usage) });
    },
    part(part) {
      const opened: JsonObject[] = begun ? [] : [{ type: OPENING_EVENTS[0], response: opening() }];
      begun = true;
      return [...opened, ...written(part)];
    },
  };

  function written(part: StreamPart): JsonObject[] {
    if (part.type !== 'finish') return events.write(part);
    const ended = events.finish(part);
    const ending = endingBody(part, events.declined, clock());
    const type = ending.status === 'incomplete' ? 'response.incomplete' : 'response.completed';
    return [...ended, { type, response: { ...opening(), ...ending } }];
  }
}

const outputOf = ({ output }: JsonObject): readonly JsonObject[] =>
  Array.isArray(output) ? (output as JsonObject[]) : [];

const hasRefusal = ({ parts }: AssistantReply): boolean => parts.some(({ type }) => type === 'refusal');

/** The items of a reply; texts that follow one another are parts of one message. */
function itemsOf({ parts, finish }: AssistantReply, answerId: string, names: ToolNames): JsonObject[] {
  const items: JsonObject[] = [];
  let content: JsonObject[] = [];
  const endMessage = (status: ItemStatus) => {
    if (content.length > 0)
      items.push(messageItem(itemId('message', answerId, items.length), status, content));
    content = [];
  };
  for (const part of parts) {
    if (part.type === 'text' || part.type === 'refusal') {
      content.push(contentPart(part));
      continue;
    }
    endMessage('completed');
    items.push(itemOf(part, items.length, answerId, names));
  }
  endMessage(finish.reason === 'length' || finish.reason === 'context' ? 'incomplete' : 'completed');
  return items;
}

function itemOf(
  part: Extract<AssistantPart, { type: 'reasoning' | 'tool-call' }>,
  index: number,
  answerId: string,
  names: ToolNames,
): JsonObject {
  if (part.type === 'reasoning')
    return reasoningItem(itemId('reasoning', answerId, index), part.text, part.signature);
  const { id: callId, name, arguments: written } = part;
  const kind = callKind(names, name);
  const text = kind === 'custom call' ? customInput(written) : written === '' ? '{}' : written;
  return callItem({ id: itemId(kind, answerId, index), callId, name, status: 'completed', text }, names);
}
