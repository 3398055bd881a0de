/**
 * Writes a streamed response as the events of the Responses API (OpenAI API reference, Streaming events), still without
 * their numbers.
 */
import type { JsonObject } from '../../../../platform/core/json/lossless-json.ts';
import type { ContentStart, Finish, StreamPart } from '../../../core/upstream/conversation.ts';
import type { ToolNames } from '../tool-names.ts';
import { CustomInput } from './custom-input.ts';
import {
  callItem,
  callKind,
  contentPart,
  type ItemStatus,
  itemId,
  messageItem,
  reasoningItem,
  summaryPart,
} from './items.ts';

/** An item that has started. */
interface OpenOutputItem {
  readonly id: string;
  readonly index: number;
}

interface OpenMessage extends OpenOutputItem {
  readonly kind: 'message';
  readonly content: JsonObject[];
}

/** A block that has started, and its text up to now. */
type OpenBlock = { text: string } & (
  | { readonly kind: 'text' | 'refusal'; readonly message: OpenMessage }
  | (OpenOutputItem & { readonly kind: 'reasoning' })
  | (OpenOutputItem & {
      readonly kind: 'call';
      readonly callId: string;
      readonly name: string;
      /** Present for a custom tool only. */
      readonly input?: CustomInput;
    })
);

export class ResponsesEventWriter {
  readonly #responseId: string;
  readonly #names: ToolNames;
  readonly #openBlocks = new Map<number, OpenBlock>();
  /** Texts that follow one another are parts of one message. */
  #message: OpenMessage | undefined;
  #count = 0;
  #declined = false;

  constructor(responseId: string, names: ToolNames) {
    this.#responseId = responseId;
    this.#names = names;
  }

  /** Returns whether the response, or part of it, is a refusal. */
  get declined(): boolean {
    return this.#declined;
  }

  write(part: Exclude<StreamPart, { type: 'finish' }>): JsonObject[] {
    switch (part.type) {
      case 'start':
        return this.#start(part.index, part.content);
      case 'delta': {
        const block = this.#openBlocks.get(part.index);
        return block === undefined ? [] : this.#delta(block, part.text);
      }
      case 'end': {
        const block = this.#openBlocks.get(part.index);
        this.#openBlocks.delete(part.index);
        return block === undefined ? [] : this.#endBlock(block, part.signature);
      }
    }
  }

  /** Ends the open message. */
  finish({ reason }: Finish): JsonObject[] {
    return this.#endMessage(reason === 'length' || reason === 'context' ? 'incomplete' : 'completed');
  }

  #start(blockIndex: number, content: ContentStart): JsonObject[] {
    if (content.type === 'tool-call') return this.#startCall(blockIndex, content);
    if (content.type !== 'reasoning') return this.#startText(blockIndex, content.type);
    const endEvents = this.#endMessage('completed');
    const open = this.#open('reasoning');
    this.#openBlocks.set(blockIndex, { ...open, kind: 'reasoning', text: '' });
    return [...endEvents, itemAdded(open, reasoningItem(open.id, ''))];
  }

  #startCall(blockIndex: number, content: Extract<ContentStart, { type: 'tool-call' }>): JsonObject[] {
    const endEvents = this.#endMessage('completed');
    const { id: callId, name } = content;
    const kind = callKind(this.#names, name);
    const open = this.#open(kind);
    const input = kind === 'custom call' ? { input: new CustomInput() } : {};
    this.#openBlocks.set(blockIndex, { ...open, kind: 'call', callId, name, text: '', ...input });
    const startedCall = { id: open.id, callId, name, status: 'in_progress', text: '' } as const;
    return [...endEvents, itemAdded(open, callItem(startedCall, this.#names))];
  }

  #startText(blockIndex: number, kind: 'text' | 'refusal'): JsonObject[] {
    if (kind === 'refusal') this.#declined = true;
    const events: JsonObject[] = [];
    let message = this.#message;
    if (message === undefined) {
      message = { ...this.#open('message'), kind: 'message', content: [] };
      this.#message = message;
      events.push(itemAdded(message, messageItem(message.id, 'in_progress', [])));
    }
    this.#openBlocks.set(blockIndex, { kind, message, text: '' });
    const part = contentPart({ type: kind, text: '' });
    return [...events, { type: 'response.content_part.added', ...contentPositionOf(message), part }];
  }

  #delta(block: OpenBlock, text: string): JsonObject[] {
    const isFirst = block.text === '';
    block.text += text;
    switch (block.kind) {
      case 'text':
        return [
          {
            type: 'response.output_text.delta',
            ...contentPositionOf(block.message),
            delta: text,
            logprobs: [],
          },
        ];
      case 'refusal':
        return [{ type: 'response.refusal.delta', ...contentPositionOf(block.message), delta: text }];
      case 'reasoning': {
        const position = { ...itemPositionOf(block), summary_index: 0 };
        const delta = { type: 'response.reasoning_summary_text.delta', ...position, delta: text };
        return isFirst
          ? [{ type: 'response.reasoning_summary_part.added', ...position, part: summaryPart('') }, delta]
          : [delta];
      }
      case 'call': {
        const { input } = block;
        if (input === undefined) return [argumentsDelta(block, text)];
        const certain = input.read(text);
        return certain === '' ? [] : [inputDelta(block, certain)];
      }
    }
  }

  #endBlock(block: OpenBlock, signature: string | undefined): JsonObject[] {
    switch (block.kind) {
      case 'text':
      case 'refusal':
        return endText(block.kind, block.message, block.text);
      case 'reasoning':
        return endReasoning(block, signature);
      case 'call':
        return this.#endCall(block);
    }
  }

  #endCall(call: Extract<OpenBlock, { kind: 'call' }>): JsonObject[] {
    const { id, index, callId, name, input } = call;
    const { text, rest } = input?.end() ?? { text: call.text === '' ? '{}' : call.text, rest: '' };
    const item = callItem({ id, callId, name, status: 'completed', text }, this.#names);
    const events: JsonObject[] = rest === '' ? [] : [inputDelta(call, rest)];
    if (input === undefined) {
      // Clients put the arguments together from their deltas.
      if (call.text === '') events.push(argumentsDelta(call, text));
      const named = { name: item.name, arguments: text };
      events.push({ type: 'response.function_call_arguments.done', ...itemPositionOf(call), ...named });
    } else
      events.push({ type: 'response.custom_tool_call_input.done', ...itemPositionOf(call), input: text });
    return [...events, itemDone({ id, index }, item)];
  }

  #endMessage(status: ItemStatus): JsonObject[] {
    const message = this.#message;
    if (message === undefined) return [];
    this.#message = undefined;
    return [itemDone(message, messageItem(message.id, status, message.content))];
  }

  #open(kind: Parameters<typeof itemId>[0]): OpenOutputItem {
    const index = this.#count;
    this.#count += 1;
    return { id: itemId(kind, this.#responseId, index), index };
  }
}

const itemPositionOf = ({ id, index }: OpenOutputItem): JsonObject => ({ item_id: id, output_index: index });

/** Returns the location of the content part that is being written. */
const contentPositionOf = (message: OpenMessage): JsonObject => ({
  ...itemPositionOf(message),
  content_index: message.content.length,
});

const itemAdded = ({ index }: OpenOutputItem, item: JsonObject): JsonObject => ({
  type: 'response.output_item.added',
  output_index: index,
  item,
});

const itemDone = ({ index }: OpenOutputItem, item: JsonObject): JsonObject => ({
  type: 'response.output_item.done',
  output_index: index,
  item,
});

const argumentsDelta = (open: OpenOutputItem, delta: string): JsonObject => ({
  type: 'response.function_call_arguments.delta',
  ...itemPositionOf(open),
  delta,
});

const inputDelta = (open: OpenOutputItem, delta: string): JsonObject => ({
  type: 'response.custom_tool_call_input.delta',
  ...itemPositionOf(open),
  delta,
});

function endText(kind: 'text' | 'refusal', message: OpenMessage, text: string): JsonObject[] {
  const position = contentPositionOf(message);
  const part = contentPart({ type: kind, text });
  message.content.push(part);
  const textDone =
    kind === 'text'
      ? { type: 'response.output_text.done', ...position, text, logprobs: [] }
      : { type: 'response.refusal.done', ...position, refusal: text };
  return [textDone, { type: 'response.content_part.done', ...position, part }];
}

function endReasoning(
  reasoning: Extract<OpenBlock, { kind: 'reasoning' }>,
  signature: string | undefined,
): JsonObject[] {
  const { id, text } = reasoning;
  const item = itemDone(reasoning, reasoningItem(id, text, signature));
  if (text === '') return [item];
  const position = { ...itemPositionOf(reasoning), summary_index: 0 };
  return [
    { type: 'response.reasoning_summary_text.done', ...position, text },
    { type: 'response.reasoning_summary_part.done', ...position, part: summaryPart(text) },
    item,
  ];
}
