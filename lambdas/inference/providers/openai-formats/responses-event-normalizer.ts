/**
 * Completes the events of Responses streams whose servers leave some out: the number of the item (`ggml-org/llama.cpp`
 * 20607), the start of an item or of its content, or all of an item before the complete response.
 */

import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import { UpstreamFailure } from '../../core/upstream/provider.ts';
import { objectOf } from '../http-upstream.ts';
import { itemsOf, MAX_ITEMS } from './items.ts';

/** An output item with its index in the order of the starts. */
interface Item {
  readonly index: number;
  readonly type: unknown;
  /** The name of a call, if its start has one. */
  readonly callId: unknown;
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
  /** The items of each name by which the server refers to them. */
  readonly #byId = new Map<unknown, Item[]>();

  /** Returns the event with a number for its item, after the events that should have come before it. */
  read(event: JsonObject): readonly JsonObject[] {
    const { type, output_index: number, item_id: id, delta } = event;
    if (type === ADDED) return this.#readStart(event);
    if (type === DONE) return this.#readEnd(event);
    if (type === 'response.completed' || type === 'response.incomplete') return this.#finish(event);
    const part = partOf(event);
    const isOfItem = [number, id, part].some((name) => name !== undefined) || typeof delta === 'string';
    return isOfItem ? this.#readContent(event, part) : [event];
  }

  #readContent(event: JsonObject, part: Part | undefined): readonly JsonObject[] {
    const deltaType = DELTAS.get(event.type);
    const started = this.#itemOf(event, deltaType?.item.type);
    if (started === undefined && deltaType === undefined) return [event];
    const item = started ?? this.#start(event, deltaType?.item);
    const events = started === undefined ? [addedEvent(item, deltaType?.item)] : [];
    const place = { output_index: item.index, ...(part && { [part[0]]: part[1] }) };
    if (deltaType !== undefined || STARTS.has(event.type)) {
      const key = String(part);
      if (deltaType !== undefined && !item.parts.has(key))
        events.push({ type: deltaType.start, ...place, part: deltaType.part });
      item.parts.add(key);
    }
    return [...events, { ...event, ...place }];
  }

  /** Returns the started item of an event: by its number, by its name, or the last that has not ended. */
  #itemOf(event: JsonObject, type?: unknown): Item | undefined {
    if (typeof event.output_index === 'number') {
      const latest = this.#byNumber.get(event.output_index);
      if (latest === undefined || isSameCall(latest, event)) return latest;
    }
    const isOpen = (item: Item) => item.complete === undefined && (type === undefined || item.type === type);
    const [named] = idsOf(event).flatMap((id) => this.#byId.get(id)?.at(-1) ?? []);
    return named ?? this.#items.findLast(isOpen);
  }

  #start(event: JsonObject, content: JsonObject = {}): Item {
    const { type, call_id: callId } = content;
    const item: Item = { index: this.#items.length, type, callId, parts: new Set() };
    if (item.index === MAX_ITEMS) throw new UpstreamFailure('protocol');
    this.#items.push(item);
    for (const id of new Set([...idsOf(content), ...idsOf(event)])) {
      const named = this.#byId.get(id);
      if (named === undefined) this.#byId.set(id, [item]);
      else named.push(item);
    }
    if (typeof event.output_index === 'number') this.#byNumber.set(event.output_index, item);
    return item;
  }

  #readStart(event: JsonObject): readonly JsonObject[] {
    const content = objectOf(event.item);
    const latest = this.#byNumber.get(event.output_index);
    const isRepeated = latest !== undefined && latest.complete === undefined && isSameCall(latest, content);
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

  /**
   * Returns the end of the response after the items that only it has. Its output has all items in their order, each with
   * its number.
   */
  #finish(event: JsonObject): readonly JsonObject[] {
    const response = objectOf(event.response);
    const output = itemsOf(response.output ?? []);
    const matched = new Set<Item>();
    const named = output.map((content) => this.#matchOf(content, matched));
    const events = output.flatMap((content, position) => {
      const started = named[position] ?? this.#unnamedMatchOf(content, position, matched);
      const item = started ?? this.#start({}, content);
      matched.add(item);
      const isNew = item.complete === undefined;
      item.complete = content;
      return [
        ...(started === undefined ? [addedEvent(item, atStart(content))] : []),
        ...(isNew ? [{ type: DONE, output_index: item.index, item: content }] : []),
      ];
    });
    const numbered = this.#items.flatMap(({ index, complete }) =>
      complete === undefined ? [] : { ...complete, output_index: index },
    );
    return [...events, { ...event, response: { ...response, output: numbered } }];
  }

  /** Returns the started item that an item of the complete response names. */
  #matchOf(content: JsonObject, matched: Set<Item>): Item | undefined {
    for (const id of idsOf(content)) {
      const item = this.#byId.get(id)?.find((each) => !matched.has(each) && each.type === content.type);
      if (item === undefined) continue;
      matched.add(item);
      return item;
    }
    return undefined;
  }

  /** Returns the started item that no item of the complete response names: by its position or its type. */
  #unnamedMatchOf(content: JsonObject, position: number, matched: ReadonlySet<Item>): Item | undefined {
    const isFree = (item: Item) =>
      !matched.has(item) && item.type === content.type && isSameCall(item, content);
    const atPosition = this.#items[position];
    return atPosition !== undefined && isFree(atPosition) ? atPosition : this.#items.find(isFree);
  }
}

/** Returns whether an item may be the one of an event or a complete response: no two calls have different ids. */
const isSameCall = ({ callId }: Item, { call_id: id }: JsonObject): boolean =>
  id == null || callId == null || id === callId;

const addedEvent = ({ index }: Item, item: JsonObject = {}): JsonObject => ({
  type: ADDED,
  output_index: index,
  item,
});

/** The number of a part, after the name of the field that has it. */
type Part = readonly [field: string, number: unknown];

/** Returns the part that an event is about; the first if the server numbers none. */
function partOf({ type, content_index: content, summary_index: summary }: JsonObject): Part | undefined {
  const [, kind] =
    /^response\.(content_part|output_text|refusal|reasoning_text|reasoning_summary)[._]/.exec(String(type)) ??
    [];
  if (kind === undefined) return undefined;
  return kind === 'reasoning_summary' ? ['summary_index', summary ?? 0] : ['content_index', content ?? 0];
}
