/**
 * The end of a stream for callers of the protocol. Some servers repeat the finish reason in every chunk, or say more after
 * it, so the last event with one is held until the next chunk shows whether it is the end.
 */
import { isJsonObject, type JsonObject } from '../../../platform/core/json/lossless-json.ts';
import type { RouteEvent } from '../../core/upstream/provider.ts';

type Choices = readonly JsonObject[];

/** Some servers send an empty reason until there is one. */
export const isReason = (reason: unknown): boolean => typeof reason === 'string' && reason !== '';

const indexOf = ({ index = 0 }: JsonObject): unknown => index;

const hasEnd = ({ finish_reason: reason }: JsonObject): boolean => isReason(reason);

/** Text and lists are output; the role is none. */
export const hasOutput = ({ delta }: JsonObject): boolean =>
  isJsonObject(delta) &&
  Object.entries(delta).some(
    ([name, value]) =>
      name !== 'role' &&
      (typeof value === 'string' || Array.isArray(value) ? value.length > 0 : value != null),
  );

export class HeldEnd {
  #event: RouteEvent | undefined;
  #indexes: ReadonlySet<unknown> = new Set();

  /** Holds the event of these choices if it ends one of them for a caller of the protocol. */
  holds(event: RouteEvent, choices: Choices): boolean {
    const ended = choices.filter(hasEnd);
    if (event.nativeEvent === undefined || ended.length === 0) return false;
    this.#event = event;
    this.#indexes = new Set(ended.map(indexOf));
    return true;
  }

  /** Returns the choices that have ended with the held event if the next choices do not continue them. */
  endedIndexes(next: Choices): ReadonlySet<unknown> {
    return this.#event === undefined || this.#isContinued(next) ? new Set() : this.#indexes;
  }

  /** Returns the held event. It loses its end if the next choices continue what it ended. */
  release(next: Choices): readonly RouteEvent[] {
    const event = this.#event;
    if (event === undefined) return [];
    this.#event = undefined;
    return [this.#isContinued(next) ? withoutEnd(event) : event];
  }

  #isContinued(next: Choices): boolean {
    return next.some((choice) => this.#indexes.has(indexOf(choice)) && (hasEnd(choice) || hasOutput(choice)));
  }
}

function withoutEnd({ nativeEvent = {}, ...event }: RouteEvent): RouteEvent {
  const choices = (nativeEvent.choices as Choices).map(
    ({ native_finish_reason: _native, stop_reason: _sequence, ...choice }) => ({
      ...choice,
      finish_reason: null,
    }),
  );
  return { ...event, nativeEvent: { ...nativeEvent, choices } };
}
