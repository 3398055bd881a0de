/** Faults that streams of every protocol may have. */
import { countsAt } from './meaning.ts';
import {
  changedAt,
  endIndex,
  type Fault,
  inserted,
  type Place,
  type WireEvent,
  withoutMember,
} from './wire-protocol.ts';

/** Values of a type that no optional member has. */
const WRONG: readonly unknown[] = [7, 'x', true, null, [], {}, [{}], -1, 1.5, ''];

const pick = <Item>(items: readonly Item[], { at }: Pick<Place, 'at'>): Item | undefined =>
  items[at(items.length)];

/** An event of these roles with its index. */
function indexOf(
  events: readonly WireEvent[],
  roles: readonly WireEvent['role'][],
  { at }: Place,
): number | undefined {
  const indexes = events.flatMap(({ role }, index) => (roles.includes(role) ? index : []));
  return indexes[at(indexes.length)];
}

const replaced = (events: readonly WireEvent[], index: number, event: WireEvent): readonly WireEvent[] =>
  events.map((each, at) => (at === index ? event : each));

/** Changes one optional member of one event. */
function changeMember(
  events: readonly WireEvent[],
  place: Place,
  paths: readonly string[],
  change: Parameters<typeof changedAt>[2],
): readonly WireEvent[] | undefined {
  const changes = events.flatMap((event, index) =>
    paths.flatMap((path) => {
      const data = changedAt(event.data, path.split('.'), change) as WireEvent['data'] | undefined;
      return data === undefined ? [] : [{ index, data }];
    }),
  );
  const chosen = pick(changes, place);
  const event = chosen === undefined ? undefined : events[chosen.index];
  return chosen === undefined || event === undefined
    ? undefined
    : replaced(events, chosen.index, { ...event, data: chosen.data });
}

/** Adds events before the end, at any place after the start. */
function beforeEnd(events: readonly WireEvent[], { at }: Place, ...added: readonly WireEvent[]) {
  const end = endIndex(events);
  return inserted(events, Math.min(end, 1 + at(end)), ...added);
}

export const FAULTS: Readonly<Record<string, Fault>> = {
  'an event that means nothing': {
    outcome: 'whole',
    apply(events, place) {
      const noise = pick(place.protocol.noise, place);
      return noise && inserted(events, place.at(events.length), noise);
    },
  },
  'an unknown member': {
    outcome: 'whole',
    apply(events, place) {
      const index = place.at(events.length);
      const event = events[index];
      if (event === undefined || typeof event.data === 'string') return undefined;
      return replaced(events, index, { ...event, data: { ...event.data, x_vendor: { a: [1] } } });
    },
  },
  'a missing optional member': {
    outcome: 'whole',
    apply(events, place) {
      const { optionalMembers, omittedMembers } = place.protocol;
      return changeMember(events, place, [...optionalMembers, ...omittedMembers], withoutMember);
    },
  },
  'an optional member of a wrong type': {
    outcome: 'either',
    apply: (events, place) =>
      changeMember(events, place, place.protocol.optionalMembers, (parent, name) => ({
        ...parent,
        [name]: pick(WRONG, place),
      })),
  },
  'a repeated end': {
    outcome: 'whole',
    apply(events, place) {
      const index = indexOf(events, ['end'], place);
      const end = index === undefined ? undefined : events[index];
      if (index === undefined || end === undefined) return undefined;
      const { text: _once, ...again } = end;
      return inserted(events, index + 1, place.protocol.repeated?.(again) ?? again);
    },
  },
  'counts that fall': {
    outcome: 'whole',
    apply(events, { at, meaning, protocol }) {
      const lastUsage = events.findLastIndex(({ role }) => role === 'usage' || role === 'end');
      const last = protocol.isOpenEnded ? events.length - 1 : lastUsage;
      if (lastUsage < 0) return undefined;
      const { prompt, cached } = meaning.counts;
      const fallen = [
        { prompt: 0, cached: 0, output: 0 },
        { prompt, cached, output: 1 },
        { prompt: prompt - cached, cached: 0, output: meaning.counts.output },
      ][at(3)];
      return fallen && inserted(events, last + 1, protocol.usageEvent(fallen, meaning.end));
    },
  },
  'counts from the start': {
    outcome: 'whole',
    apply(events, place) {
      const { meaning, protocol } = place;
      if (protocol.earlyUsage === undefined) return undefined;
      return beforeEnd(events, place, protocol.earlyUsage(countsAt(meaning.counts, 0.1)));
    },
  },
  'absurd counts': {
    outcome: 'whole',
    hidesCounts: true,
    apply(events, { at, meaning, protocol }) {
      const last = events.findLastIndex(({ role }) => role === 'usage' || role === 'end');
      const absurd = [2 ** 53, 10 ** 9, -5, 0.5, Number.NaN][at(5)] ?? 0;
      const counts = { prompt: absurd, cached: absurd, output: at(2) === 0 ? absurd : 1 };
      return last < 0 ? undefined : inserted(events, last + 1, protocol.usageEvent(counts, meaning.end));
    },
  },
  'a report of a failure': {
    outcome: 'failed',
    apply(events, place) {
      const error = pick(place.protocol.errors, place);
      return error && beforeEnd(events, place, { ...error, fails: true });
    },
  },
  'an end of the body before the response has ended': {
    outcome: 'unclean',
    apply: (events, { at }) => events.slice(0, at(endIndex(events))),
  },
  'an end that says that the response has failed': {
    outcome: 'unclean',
    apply(events, place) {
      const index = endIndex(events);
      const end = events[index];
      const bad = end === undefined ? undefined : pick(place.protocol.badEnds(end), place);
      return bad && replaced(events, index, { ...bad, fails: true });
    },
  },
};
