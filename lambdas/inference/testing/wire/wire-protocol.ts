/** The forms of a protocol: a response as wire events, and the faults that its streams may have. */
import type { Counts, Meaning } from './meaning.ts';

type Json = Readonly<Record<string, unknown>>;

export interface WireEvent {
  /** The name of the event outside of its data. */
  readonly name?: string;
  /** A JSON object, or unchanged text. */
  readonly data: Json | string;
  readonly role: 'start' | 'content' | 'end' | 'usage' | 'marker' | 'noise';
  /** The text of the response that it gives. */
  readonly text?: string;
  /** True if a call of a tool begins with it. */
  readonly opensCall?: true;
  /** True if the response has failed with this event. */
  readonly fails?: true;
}

/** Choices among the forms that a protocol documents, drawn at random. */
export type Style = (choices: number) => number;

export interface WireProtocol {
  readonly protocol: string;
  readonly contentType: string;
  write(meaning: Meaning, style: Style): readonly WireEvent[];
  encode(events: readonly WireEvent[]): Uint8Array;
  /** An event that reports these counts. */
  usageEvent(counts: Counts, end: Meaning['end']): WireEvent;
  /** The members that readers must not depend on, whatever they hold, as paths into the data. */
  readonly optionalMembers: readonly string[];
  /** The members that servers are known to leave out. */
  readonly omittedMembers: readonly string[];
  /** Events that mean nothing. */
  readonly noise: readonly WireEvent[];
  /** Events that report a failure. */
  readonly errors: readonly WireEvent[];
  /** Data of an end that is none: the response has failed. */
  badEnds(end: WireEvent): readonly WireEvent[];
  /** An event with the counts of a response that has just begun, if the protocol has any. */
  earlyUsage?(counts: Counts): WireEvent;
  /** The end as it may be repeated; the same event by default. */
  repeated?(end: WireEvent): WireEvent;
  /** True if a response goes on to the end of the body, whatever its end is. */
  readonly isOpenEnded: boolean;
  /** Faults of this protocol alone. */
  readonly faults: Readonly<Record<string, Fault>>;
}

/**
 * - `either`: the response is complete, or fails.
 * - `unclean`: it fails, or its end says that it is not complete.
 */
export type Outcome = 'whole' | 'failed' | 'unclean' | 'either';

export interface Fault {
  readonly outcome: Outcome;
  /** True if the counts that remain say nothing. */
  readonly hidesCounts?: true;
  /** Returns the events with the fault at a place. Undefined if there is none of it in these events. */
  apply(events: readonly WireEvent[], place: Place): readonly WireEvent[] | undefined;
}

/** The place of a fault, drawn at random. */
export interface Place {
  /** Returns one of so many. */
  readonly at: (choices: number) => number;
  readonly meaning: Meaning;
  readonly protocol: WireProtocol;
}

/** The data without, or with another, member at a path: `choices.0.delta.role`. Undefined if there is none. */
export function changedAt(
  value: unknown,
  path: readonly string[],
  change: (parent: Json, name: string) => Json,
): unknown {
  const [name = '', ...rest] = path;
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  if (rest.length === 0) return change(value as Json, name);
  const changed = changedAt((value as Json)[name], rest, change);
  if (changed === undefined) return undefined;
  return Array.isArray(value)
    ? value.map((item, index) => (String(index) === name ? changed : item))
    : { ...value, [name]: changed };
}

export const withoutMember = (parent: Json, name: string): Json => {
  const { [name]: _removed, ...rest } = parent;
  return rest;
};

/** Inserts events before an index. */
export const inserted = (
  events: readonly WireEvent[],
  index: number,
  ...added: readonly WireEvent[]
): readonly WireEvent[] => [...events.slice(0, index), ...added, ...events.slice(index)];

/** The index of the first event that ends the response; their number if none does. */
export function endIndex(events: readonly WireEvent[]): number {
  const index = events.findIndex(({ role }) => role === 'end' || role === 'marker');
  return index < 0 ? events.length : index;
}

/** The events as server-sent events. */
export const sseOf = (events: readonly WireEvent[], newLine = '\n'): Uint8Array =>
  Buffer.from(
    events
      .map(({ name, data }) => {
        const text = typeof data === 'string' ? data : JSON.stringify(data);
        const event = name === undefined ? '' : `event: ${name}${newLine}`;
        return text.startsWith(':')
          ? `${text}${newLine}${newLine}`
          : `${event}data: ${text}${newLine}${newLine}`;
      })
      .join(''),
  );
