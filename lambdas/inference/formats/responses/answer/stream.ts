/** A streamed answer as the events of the Responses API (OpenAI API reference, Streaming events), yet without their numbers. */
import type { JsonObject } from '../../../../platform/core/json/lossless-json.ts';
import type { BlockStart, Finish, StreamPart } from '../../../core/upstream/conversation.ts';
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

/** An item that has begun. */
interface Open {
  readonly id: string;
  readonly index: number;
}

interface OpenMessage extends Open {
  readonly kind: 'message';
  readonly content: JsonObject[];
}

/** A block that has begun, and its text so far. */
type Block = { text: string } & (
  | { readonly kind: 'text' | 'refusal'; readonly message: OpenMessage }
  | (Open & { readonly kind: 'reasoning' })
  | (Open & {
      readonly kind: 'call';
      readonly callId: string;
      readonly name: string;
      /** Present for a custom tool only. */
      readonly input?: CustomInput;
    })
);

export class ItemEvents {
  readonly #answerId: string;
  readonly #names: ToolNames;
  readonly #blocks = new Map<number, Block>();
  /** Texts that follow one another are parts of one message. */
  #message: OpenMessage | undefined;
  #count = 0;
  #declined = false;

  constructor(answerId: string, names: ToolNames) {
    this.#answerId = answerId;
    this.#names = names;
  }

  /** The answer, or part of it, is a refusal. */
  get declined(): boolean {
    return this.#declined;
  }

  write(part: Exclude<StreamPart, { type: 'finish' }>): JsonObject[] {
    switch (part.type) {
      case 'start':
        return this.#start(part.block, part.content);
      case 'delta': {
        const block = this.#blocks.get(part.block);
        return block === undefined ? [] : this.#delta(block, part.text);
      }
      case 'end': {
        const block = this.#blocks.get(part.block);
        this.#blocks.delete(part.block);
        return block === undefined ? [] : this.#end(block, part.signature);
      }
    }
  }

  /** Ends the open message. */
  finish({ reason }: Finish): JsonObject[] {
    return this.#endMessage(reason === 'length' || reason === 'context' ? 'incomplete' : 'completed');
  }

  #start(number: number, content: BlockStart): JsonObject[] {
    if (content.type === 'tool-call') return this.#startCall(number, content);
    if (content.type !== 'reasoning') return this.#startText(number, content.type);
    const ended = this.#endMessage('completed');
    const open = this.#open('reasoning');
    this.#blocks.set(number, { ...open, kind: 'reasoning', text: '' });
    return [...ended, added(open, reasoningItem(open.id, ''))];
  }

  #startCall(number: number, content: Extract<BlockStart, { type: 'tool-call' }>): JsonObject[] {
    const ended = this.#endMessage('completed');
    const { id: callId, name } = content;
    const kind = callKind(this.#names, name);
    const open = this.#open(kind);
    const input = kind === 'custom call' ? { input: new CustomInput() } : {};
    this.#blocks.set(number, { ...open, kind: 'call', callId, name, text: '', ...input });
    const begun = { id: open.id, callId, name, status: 'in_progress', text: '' } as const;
    return [...ended, added(open, callItem(begun, this.#names))];
  }

  #startText(number: number, kind: 'text' | 'refusal'): JsonObject[] {
    if (kind === 'refusal') this.#declined = true;
    const events: JsonObject[] = [];
    let message = this.#message;
    if (message === undefined) {
      message = { ...this.#open('message'), kind: 'message', content: [] };
      this.#message = message;
      events.push(added(message, messageItem(message.id, 'in_progress', [])));
    }
    this.#blocks.set(number, { kind, message, text: '' });
    const part = contentPart({ type: kind, text: '' });
    return [...events, { type: 'response.content_part.added', ...placeOf(message), part }];
  }

  #delta(block: Block, text: string): JsonObject[] {
    const isFirst = block.text === '';
    block.text += text;
    switch (block.kind) {
      case 'text':
        return [{ type: 'response.output_text.delta', ...placeOf(block.message), delta: text, logprobs: [] }];
      case 'refusal':
        return [{ type: 'response.refusal.delta', ...placeOf(block.message), delta: text }];
      case 'reasoning': {
        const place = { ...itemPlace(block), summary_index: 0 };
        const delta = { type: 'response.reasoning_summary_text.delta', ...place, delta: text };
        return isFirst
          ? [{ type: 'response.reasoning_summary_part.added', ...place, part: summaryPart('') }, delta]
          : [delta];
      }
      case 'call': {
        const { input } = block;
        if (input === undefined)
          return [{ type: 'response.function_call_arguments.delta', ...itemPlace(block), delta: text }];
        const certain = input.read(text);
        return certain === '' ? [] : [inputDelta(block, certain)];
      }
    }
  }

  #end(block: Block, signature: string | undefined): JsonObject[] {
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

  #endCall(block: Extract<Block, { kind: 'call' }>): JsonObject[] {
    const { id, index, callId, name, input } = block;
    const { text, rest } = input?.end() ?? { text: block.text === '' ? '{}' : block.text, rest: '' };
    const item = callItem({ id, callId, name, status: 'completed', text }, this.#names);
    const events: JsonObject[] = rest === '' ? [] : [inputDelta(block, rest)];
    if (input === undefined) {
      const named = { name: item.name, arguments: text };
      events.push({ type: 'response.function_call_arguments.done', ...itemPlace(block), ...named });
    } else events.push({ type: 'response.custom_tool_call_input.done', ...itemPlace(block), input: text });
    return [...events, done({ id, index }, item)];
  }

  #endMessage(status: ItemStatus): JsonObject[] {
    const message = this.#message;
    if (message === undefined) return [];
    this.#message = undefined;
    return [done(message, messageItem(message.id, status, message.content))];
  }

  #open(kind: Parameters<typeof itemId>[0]): Open {
    const index = this.#count;
    this.#count += 1;
    return { id: itemId(kind, this.#answerId, index), index };
  }
}

const itemPlace = ({ id, index }: Open): JsonObject => ({ item_id: id, output_index: index });

/** Returns the location of the content part that is being written. */
const placeOf = (message: OpenMessage): JsonObject => ({
  ...itemPlace(message),
  content_index: message.content.length,
});

const added = ({ index }: Open, item: JsonObject): JsonObject => ({
  type: 'response.output_item.added',
  output_index: index,
  item,
});

const done = ({ index }: Open, item: JsonObject): JsonObject => ({
  type: 'response.output_item.done',
  output_index: index,
  item,
});

const inputDelta = (open: Open, delta: string): JsonObject => ({
  type: 'response.custom_tool_call_input.delta',
  ...itemPlace(open),
  delta,
});

function endText(kind: 'text' | 'refusal', message: OpenMessage, text: string): JsonObject[] {
  const place = placeOf(message);
  const part = contentPart({ type: kind, text });
  message.content.push(part);
  const whole =
    kind === 'text'
      ? { type: 'response.output_text.done', ...place, text, logprobs: [] }
      : { type: 'response.refusal.done', ...place, refusal: text };
  return [whole, { type: 'response.content_part.done', ...place, part }];
}

function endReasoning(
  block: Extract<Block, { kind: 'reasoning' }>,
  signature: string | undefined,
): JsonObject[] {
  const { id, text } = block;
  const item = done(block, reasoningItem(id, text, signature));
  if (text === '') return [item];
  const place = { ...itemPlace(block), summary_index: 0 };
  return [
    { type: 'response.reasoning_summary_text.done', ...place, text },
    { type: 'response.reasoning_summary_part.done', ...place, part: summaryPart(text) },
    item,
  ];
}
