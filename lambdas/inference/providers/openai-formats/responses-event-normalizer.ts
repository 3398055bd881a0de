/**
 * Completes the events of Responses streams whose servers leave some out: the number of the item (`ggml-org/llama.cpp`
 * 20607), the start of an item or of its content, or all of an item before the complete response.
 */

import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import { objectOf } from '../http-upstream.ts';
import { itemsOf } from './items.ts';

/** An output item with its index in the order of the starts. */
interface Item {
  readonly index: number;
  readonly type: unknown;
  /** The names by which the server refers to it. */
  readonly ids: Set<unknown>;
  /** The parts of its content that have started. */
  readonly parts: Set<unknown>;
  /** The complete item, once it has ended. */
  complete?: JsonObject;
}

interface DeltaType {
  /** The item to which such deltas belong, at its start. */
  readonly item: JsonObject;
  /** The event that starts the part. */
  readonly start: string;
  readonly part: JsonObject;
}

const MESSAGE = { type: 'message', status: 'in_progress', role: 'assistant', content: [] };
const REASONING = { type: 'reasoning', summary: [] };
const CONTENT = { start: 'response.content_part.added' };

/** OpenAI API reference, Streaming events. */
const DELTAS: ReadonlyMap<unknown, DeltaType> = new Map([
  [
    'response.output_text.delta',
    { ...CONTENT, item: MESSAGE, part: { type: 'output_text', text: '', annotations: [] } },
  ],
  ['response.refusal.delta', { ...CONTENT, item: MESSAGE, part: { type: 'refusal', refusal: '' } }],
  [
    'response.reasoning_text.delta',
    { ...CONTENT, item: REASONING, part: { type: 'reasoning_text', text: '' } },
  ],
  [
    'response.reasoning_summary_text.delta',
    {
      item: REASONING,
      start: 'response.reasoning_summary_part.added',
      part: { type: 'summary_text', text: '' },
    },
  ],
]);

const STARTS: ReadonlySet<unknown> = new Set([...DELTAS.values()].map(({ start }) => start));

const ADDED = 'response.output_item.added';
const DONE = 'response.output_item.done';

/** The empty content of an item at its start, by the field that has it. */
const EMPTY: Readonly<Record<string, unknown>> = { content: [], summary: [], arguments: '', input: '' };

const atStart = (item: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(item).map(([name, value]) => [name, Object.hasOwn(EMPTY, name) ? EMPTY[name] : value]),
  );

const idsOf = ({ id, call_id: callId, item_id: itemId }: JsonObject): unknown[] =>
  [id, callId, itemId].filter((value) => typeof value === 'string' && value !== '');

export class ResponsesEventNormalizer {
  readonly #items: Item[] = [];
  /** The latest item of each number that the server uses. */
  readonly #byNumber = new Map<unknown, Item>();

  /** Returns the event with a number for its item, after the events that should have come before it. */
  read(event: JsonObject): readonly JsonObject[] {
    const { type, output_index: number, item_id: id, delta } = event;
    const isOfItem =
      [number, id, partKindOf(type)].some((name) => name !== undefined) || typeof delta === 'string';
    if (type === ADDED) return this.#readStart(event);
    if (type === DONE) return this.#readEnd(event);
    if (type === 'response.completed' || type === 'response.incomplete') return this.#finish(event);
    return isOfItem ? this.#readContent(event) : [event];
  }

  #readContent(event: JsonObject): readonly JsonObject[] {
    const deltaType = DELTAS.get(event.type);
    const started = this.#itemOf(event, deltaType?.item.type);
    if (started === undefined && deltaType === undefined) return [event];
    const item = started ?? this.#start(event, deltaType?.item);
    const events = started === undefined ? [addedEvent(item, deltaType?.item)] : [];
    const place = { output_index: item.index, ...partNumberOf(event) };
    const part = JSON.stringify(partNumberOf(event));
    if (deltaType !== undefined && !item.parts.has(part))
      events.push({ type: deltaType.start, ...place, part: deltaType.part });
    if (deltaType !== undefined || STARTS.has(event.type)) item.parts.add(part);
    return [...events, { ...event, ...place }];
  }

  /** Returns the started item of an event: by its number, by its name, or the last that has not ended. */
  #itemOf(event: JsonObject, type?: unknown): Item | undefined {
    if (typeof event.output_index === 'number') return this.#byNumber.get(event.output_index);
    const ids = idsOf(event);
    const isOpen = (item: Item) => item.complete === undefined && (type === undefined || item.type === type);
    return this.#items.findLast((item) => ids.some((id) => item.ids.has(id))) ?? this.#items.findLast(isOpen);
  }

  #start(event: JsonObject, content: JsonObject = {}): Item {
    const ids = new Set([...idsOf(content), ...idsOf(event)]);
    const item: Item = { index: this.#items.length, type: content.type, ids, parts: new Set() };
    this.#items.push(item);
    if (typeof event.output_index === 'number') this.#byNumber.set(event.output_index, item);
    return item;
  }

  #readStart(event: JsonObject): readonly JsonObject[] {
    const content = objectOf(event.item);
    const latest = this.#byNumber.get(event.output_index);
    const isRepeated = latest !== undefined && latest.complete === undefined;
    return isRepeated ? [] : [{ ...event, output_index: this.#start(event, content).index }];
  }

  #readEnd(event: JsonObject): readonly JsonObject[] {
    const content = objectOf(event.item);
    const started = this.#itemOf({ ...content, ...event }, content.type);
    if (started?.complete !== undefined) return [];
    const item = started ?? this.#start(event, content);
    item.complete = content;
    const events = started === undefined ? [addedEvent(item, atStart(content))] : [];
    return [...events, { ...event, output_index: item.index }];
  }

  /** Returns the end of the response after the items that only it has. Its output has all items in their order. */
  #finish(event: JsonObject): readonly JsonObject[] {
    const response = objectOf(event.response);
    const seen = new Set<Item>();
    const events = itemsOf(response.output ?? []).flatMap((content, position) => {
      const started = this.#matchOf(content, position, seen);
      const item = started ?? this.#start({}, content);
      seen.add(item);
      const isNew = item.complete === undefined;
      item.complete = content;
      return [
        ...(started === undefined ? [addedEvent(item, atStart(content))] : []),
        ...(isNew ? [{ type: DONE, output_index: item.index, item: content }] : []),
      ];
    });
    const output = this.#items.flatMap(({ complete }) => complete ?? []);
    return [...events, { ...event, response: { ...response, output } }];
  }

  /** Returns the started item that an item of the complete response is: by its name, its position or its type. */
  #matchOf(content: JsonObject, position: number, seen: ReadonlySet<Item>): Item | undefined {
    const ids = idsOf(content);
    const free = this.#items.filter((item) => !seen.has(item) && item.type === content.type);
    return (
      free.find((item) => ids.some((id) => item.ids.has(id))) ??
      free.find(({ index }) => index === position) ??
      free[0]
    );
  }
}

const addedEvent = ({ index }: Item, item: JsonObject = {}): JsonObject => ({
  type: ADDED,
  output_index: index,
  item,
});

/** Returns the kind of part that events of a type are about. */
const partKindOf = (type: unknown): string | undefined =>
  /^response\.(content_part|output_text|refusal|reasoning_text|reasoning_summary)[._]/.exec(
    String(type),
  )?.[1];

/** Returns the number of an event's part; that of the first if the server has none. */
function partNumberOf({ type, content_index: content, summary_index: summary }: JsonObject): JsonObject {
  const kind = partKindOf(type);
  if (kind === undefined) return {};
  return kind === 'reasoning_summary' ? { summary_index: summary ?? 0 } : { content_index: content ?? 0 };
}
