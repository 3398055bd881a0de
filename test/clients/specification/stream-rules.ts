/**
 * The rules of the specification for the order of a stream's events. A reader of one stream records each broken rule.
 */
import { type CheckedResponse, type Json, list } from './answer.ts';

/** Deltas and what they grow: the field of the event that ends them, and the type of the content part or the item. */
const STRINGS: Readonly<Record<string, string>> = {
  output_text: 'text',
  refusal: 'refusal',
  function_call_arguments: 'arguments',
  reasoning_summary_text: 'text',
  reasoning_text: 'text',
};

const TERMINAL = /^response\.(completed|incomplete|failed)$/;
const TEXT = /^response\.(\w+)\.(delta|done)$/;
const PART = /^response\.(content|reasoning_summary)_part\.(added|done)$/;

/** Specification, Items are streamable; Streaming; Streaming HTTP Responses. Empty for a stream that keeps all rules. */
export function brokenRules({ events, isWellFormed, contentType, body }: CheckedResponse): readonly string[] {
  const broken: string[] = [];
  const require = (holds: boolean, rule: string) => {
    if (!holds) broken.push(rule);
  };
  require(contentType.startsWith('text/event-stream'), 'the answer is not a stream of events');
  require(isWellFormed, 'an event has other fields, or the stream does not end in [DONE]');
  require(events.every(
    ({ name, data }) => name === data.type,
  ), 'a field `event` is not the type in its data');
  require(events.every(
    ({ data }, index) => data.sequence_number === index,
  ), 'the sequence numbers do not count from 0');
  const types = events.map(({ data }) => String(data.type));
  require(types[0] === 'response.created' &&
    types[1] === 'response.in_progress', 'the first events are others');
  require(types.findIndex((type) => TERMINAL.test(type)) ===
    types.length - 1, 'no terminal event ends the stream');
  const ids = events.flatMap(({ data }) => (data.response === undefined ? [] : [(data.response as Json).id]));
  require(new Set(ids).size === 1, 'the id of the response changes');
  const items = new Map<unknown, StreamedItem>();
  for (const { data } of events) {
    const { type, output_index: index } = data;
    if (type === 'response.output_item.added') {
      require(index === items.size, 'an item has another index than the next');
      items.set(index, new StreamedItem(data.item as Json, require));
    } else if (index !== undefined) {
      const item = items.get(index);
      require(item !== undefined, `${String(type)} comes before its item`);
      item?.take(data);
    }
  }
  const isComplete = types.at(-1) !== 'response.failed';
  if (isComplete) require([...items.values()].every(({ isDone }) => isDone), 'an item does not end');
  const doneItems = [...items.values()].filter(({ isDone }) => isDone).map(({ item }) => item);
  require(same(doneItems, body.output), 'the terminal event has other items than the stream');
  return broken;
}

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** An item from its first event to its last. */
class StreamedItem {
  item: Json;
  isDone = false;
  readonly #require: (holds: boolean, rule: string) => void;
  /** The texts that have grown, by the kind of text and the index of their part. */
  readonly #stringsByItem = new Map<string, { text: string; isDone: boolean }>();
  readonly #parts = new Map<string, boolean>();

  constructor(item: Json, require: (holds: boolean, rule: string) => void) {
    this.item = item;
    this.#require = require;
  }

  take(event: Json): void {
    const type = String(event.type);
    this.#require(!this.isDone, `${type} comes after the end of its item`);
    if (type === 'response.output_item.done') this.#end(event.item as Json);
    else {
      this.#require(event.item_id === this.item.id, `${type} names another item`);
      if (PART.test(type)) this.#takePart(type, event);
      else if (TEXT.test(type)) this.#takeText(type, event);
    }
  }

  #takePart(type: string, event: Json): void {
    const eventIndex = partKeyOf(event);
    const isAdded = type.endsWith('added');
    this.#require(this.#parts.has(eventIndex) !== isAdded, `${type} stands in the wrong place`);
    this.#parts.set(eventIndex, !isAdded);
  }

  #takeText(type: string, event: Json): void {
    const [, kind = '', step] = TEXT.exec(type) ?? [];
    const eventIndex = partKeyOf(event);
    if (kind !== 'function_call_arguments')
      this.#require(this.#parts.get(eventIndex) === false, `${type} stands outside of a part`);
    const grown = this.#stringsByItem.get(eventIndex) ?? { text: '', isDone: false };
    this.#stringsByItem.set(eventIndex, grown);
    this.#require(!grown.isDone, `${type} comes after the end of its text`);
    if (step === 'delta') grown.text += String(event.delta);
    else {
      grown.isDone = true;
      this.#require(event[STRINGS[kind] ?? ''] === grown.text, `${type} has another text than its deltas`);
    }
  }

  #end(item: Json): void {
    this.isDone = true;
    this.#require(
      item.id === this.item.id && item.type === this.item.type,
      'the id or type of an item changes',
    );
    if (this.item.status !== undefined)
      this.#require(
        this.item.status === 'in_progress' && item.status !== 'in_progress',
        'an item has no such states',
      );
    this.#require([...this.#parts.values()].every(Boolean), 'a part does not end');
    this.#require(
      [...this.#stringsByItem.values()].every(({ isDone }) => isDone),
      'a text does not end',
    );
    const contentTexts = [...list(item.content), ...list(item.summary)].map(
      ({ text, refusal }) => text ?? refusal,
    );
    const texts = item.type === 'function_call' ? [item.arguments] : contentTexts;
    this.#require(
      same(
        [...this.#stringsByItem.values()].map(({ text }) => text),
        texts,
      ),
      'an item has other texts than its events',
    );
    this.item = item;
  }
}

const partKeyOf = ({ content_index: content, summary_index: summary }: Json): string =>
  `${String(content)}/${String(summary)}`;
