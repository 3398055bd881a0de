/**
 * The end of a stream for callers of the protocol. Some servers repeat the finish reason in every chunk, or say more after
 * it, so a finish reason is held until the next chunk shows whether it is the end. Output and usage beside it are not.
 */
import { isJsonObject, type JsonObject } from '../../../platform/core/json/lossless-json.ts';
import type { RouteEvent } from '../../core/upstream/provider.ts';

type Choices = readonly JsonObject[];

/** Some servers send an empty reason until there is one. */
export const isReason = (reason: unknown): boolean => typeof reason === 'string' && reason !== '';

/** The number of a choice. Some servers leave it out, and some send it as text. */
export const indexOf = ({ index }: JsonObject): number => Number(index ?? 0);

const hasEnd = ({ finish_reason: reason }: JsonObject): boolean => isReason(reason);

const isFilled = (value: unknown): boolean =>
  typeof value === 'string' || Array.isArray(value) ? value.length > 0 : value != null;

/** Text and lists are output; the role is none. */
export const hasOutput = ({ delta }: JsonObject): boolean =>
  isJsonObject(delta) && Object.entries(delta).some(([name, value]) => name !== 'role' && isFilled(value));

export class HeldEnd {
  /** The chunk of the held ends. */
  #chunk: JsonObject = {};
  /** The choices with an end alone, by their numbers. */
  readonly #ends = new Map<number, JsonObject>();

  /** Returns what an event has besides the ends of its choices, which are held. */
  hold(event: RouteEvent): readonly RouteEvent[] {
    const { nativeEvent, ...reading } = event;
    const choices = (nativeEvent?.choices ?? []) as Choices;
    if (nativeEvent === undefined || !choices.some(hasEnd)) return [event];
    this.#chunk = nativeEvent;
    const open = choices.flatMap((choice) => this.#withoutEnd(choice));
    const openEvent = { ...reading, hasOutput: open.some(hasOutput) };
    if (open.length > 0) return [{ ...openEvent, nativeEvent: { ...nativeEvent, choices: open } }];
    return reading.usage === undefined ? [] : [openEvent];
  }

  /** Holds the end of a choice, if it has one. Returns the choice without it, if it has anything else. */
  #withoutEnd(choice: JsonObject): Choices {
    if (!hasEnd(choice)) return [choice];
    const { finish_reason: _reason, native_finish_reason: _native, stop_reason: _sequence, ...open } = choice;
    const { delta, logprobs: _logprobs, ...end } = choice;
    const isEndAlone = !Object.values(delta as JsonObject).some(isFilled);
    this.#ends.set(indexOf(choice), isEndAlone ? choice : { ...end, delta: {} });
    return isEndAlone ? [] : [{ ...open, finish_reason: null }];
  }

  /** Returns the held ends that the next choices do not continue, in one event. */
  release(next: Choices): readonly RouteEvent[] {
    for (const choice of next) if (hasEnd(choice) || hasOutput(choice)) this.#ends.delete(indexOf(choice));
    const choices = [...this.#ends.values()];
    this.#ends.clear();
    if (choices.length === 0) return [];
    return [{ nativeEvent: { ...this.#chunk, choices }, outputText: '', hasOutput: true }];
  }
}
