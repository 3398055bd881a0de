/**
 * The laws of streams, and the sequences that are played against them:
 *
 * 1. No text and no call is lost, and none is invented.
 * 2. No unclean end is shown as a clean one.
 * 3. The bill follows repeated counts at their largest, and is never above the hold.
 * 4. The caller's stream is valid by the parser of its own SDK.
 * 5. Nothing is held at the end: the call is settled once, and the connection of the route is released.
 */
import fc from 'fast-check';
import {
  type FormatName,
  type ReceivedResponse,
  receive,
  receiveFailure,
  shownText,
} from '../completions/received.ts';
import { formatCases, type ServedCall, serve } from '../completions/served-call.ts';
import { fragmentsOf } from '../providers/streams.ts';
import { FAULTS } from './faults.ts';
import { callsOf, type Meaning, meanings, textOf } from './meaning.ts';
import type { Fault, Outcome, WireEvent, WireProtocol } from './wire-protocol.ts';

/** A sequence of events, and what is to be seen of it. */
export interface Sequence {
  readonly meaning: Meaning;
  readonly events: readonly WireEvent[];
  readonly outcome: Outcome;
  readonly hidesCounts: boolean;
  /** True if it may fail at an event that is none of a failure. */
  readonly mayFail: boolean;
  /** The faults that it has. */
  readonly faults: readonly string[];
  readonly cuts: readonly number[];
}

/** The outcome of a sequence with both. */
function combined(a: Outcome, b: Outcome): Outcome {
  for (const outcome of ['unclean', 'failed', 'either'] as const)
    if (a === outcome || b === outcome) return outcome;
  return 'whole';
}

/** Draws numbers from a list, over and over. */
function drawsOf(numbers: readonly number[]): (choices: number) => number {
  let index = 0;
  return (choices) => {
    index += 1;
    return choices === 0 ? 0 : (numbers[(index - 1) % numbers.length] ?? 0) % choices;
  };
}

/** Sequences of a protocol: a response in one of its documented forms, with up to three faults. */
export function sequencesOf(protocol: WireProtocol): fc.Arbitrary<Sequence> {
  const all: Readonly<Record<string, Fault>> = { ...FAULTS, ...protocol.faults };
  return fc
    .record({
      meaning: meanings,
      style: fc.array(fc.nat(999), { minLength: 12, maxLength: 12 }),
      faults: fc.array(
        fc.record({
          name: fc.constantFrom(...Object.keys(all)),
          at: fc.array(fc.nat(9_999), { minLength: 3, maxLength: 3 }),
        }),
        { maxLength: 3 },
      ),
      cuts: fc.array(fc.nat(), { maxLength: 4 }),
    })
    .map(({ meaning, style, faults, cuts }) => {
      let events = protocol.write(meaning, drawsOf(style));
      let outcome: Outcome = 'whole';
      let [hidesCounts, mayFail] = [false, false];
      const applied: string[] = [];
      for (const { name, at } of faults) {
        const fault = all[name];
        // After an event that fails the response, no fault of the rest can be seen.
        if (fault === undefined || outcome === 'failed' || outcome === 'unclean') continue;
        const changed = fault.apply(events, { at: drawsOf(at), meaning, protocol });
        if (changed === undefined) continue;
        events = changed;
        outcome = combined(outcome, fault.outcome);
        hidesCounts ||= fault.hidesCounts === true;
        mayFail ||= fault.outcome === 'either';
        applied.push(name);
      }
      return { meaning, events, outcome, hidesCounts, mayFail, faults: applied, cuts };
    });
}

/** The sequences of a protocol that a seed draws. */
export const sampleOf = (protocol: WireProtocol, count: number, seed: number): readonly Sequence[] =>
  fc.sample(sequencesOf(protocol), { numRuns: count, seed });

/** A change that breaks the product, for the controls of the laws. */
export interface Break {
  /** The events that the product reads in place of those that are meant. */
  readonly read?: (events: readonly WireEvent[]) => readonly WireEvent[];
  readonly served?: (served: ServedCall) => ServedCall;
}

/** A law that a sequence breaks, by its number. */
export interface Violation {
  readonly law: 1 | 2 | 3 | 4 | 5;
  readonly seen: unknown;
}

const isClean = (end: string): boolean => end === 'stop' || end === 'calls';

/** Plays a sequence to a caller of a format. Returns the laws that it breaks. */
export async function play(
  protocol: WireProtocol,
  format: FormatName,
  sequence: Sequence,
  { read = (events) => events, served: change = (served) => served }: Break = {},
): Promise<readonly Violation[]> {
  const bytes = protocol.encode(read(sequence.events));
  const upstream = {
    protocol: protocol.protocol,
    contentType: protocol.contentType,
    reads: fragmentsOf(bytes, sequence.cuts),
  };
  const served = change(await serve(formatCases(true)[format], upstream));
  const { failure, text, settled, hold, openBodies } = served;
  const violations: Violation[] = [];
  const [outcome] = settled;
  if (settled.length !== 1 || openBodies !== 0)
    violations.push({ law: 5, seen: { settled: settled.length, openBodies } });
  if ((outcome?.amount ?? 0n) > hold) violations.push({ law: 3, seen: { amount: outcome?.amount, hold } });
  if (failure !== undefined) {
    if (!(await receiveFailure(format, text))) violations.push({ law: 4, seen: text });
    return [...violations, ...violationsOfFailure(sequence, served)];
  }
  try {
    const heard = await receive(format, text, true);
    return [...violations, ...violationsOfResponse(sequence, heard, served)];
  } catch (thrown) {
    return [...violations, { law: 4, seen: String(thrown) }];
  }
}

function violationsOfFailure(
  { meaning, events, outcome, mayFail }: Sequence,
  { text }: ServedCall,
): Violation[] {
  const shown = shownText(text);
  if (outcome === 'whole') return [{ law: 1, seen: { shown, failed: true } }];
  if (mayFail) return textOf(meaning).startsWith(shown) ? [] : [{ law: 1, seen: { shown } }];
  const failed = events.findIndex(({ fails }) => fails === true);
  const before = failed < 0 ? events : events.slice(0, failed);
  const textIn = (part: readonly WireEvent[]) => part.map(({ text: piece = '' }) => piece).join('');
  // A text after a call waits until the call is complete.
  const firstCall = before.findIndex(({ opensCall }) => opensCall === true);
  const least = textIn(firstCall < 0 ? before : before.slice(0, firstCall));
  const isShown = textIn(before).startsWith(shown) && shown.startsWith(least);
  return isShown ? [] : [{ law: 1, seen: { shown, least } }];
}

function violationsOfResponse(
  sequence: Sequence,
  heard: ReceivedResponse,
  { settled }: ServedCall,
): Violation[] {
  const { meaning, outcome, hidesCounts } = sequence;
  if (outcome === 'failed' || (outcome === 'unclean' && isClean(heard.end)))
    return [{ law: 2, seen: heard.end }];
  if (outcome === 'unclean') return [];
  const violations: Violation[] = [];
  const { text, calls, ids, end, prompt, cached, output } = heard;
  const seen = { text, calls: inOrder(calls) };
  const meant = { text: textOf(meaning), calls: inOrder(callsOf(meaning)) };
  const hasOwnIds = new Set(ids).size === ids.length;
  const isWhole = JSON.stringify(seen) === JSON.stringify(meant) && hasOwnIds;
  if (!isWhole) violations.push({ law: 1, seen: { text, calls, ids, meant } });
  if (end !== meaning.end) violations.push({ law: 2, seen: { end, meant: meaning.end } });
  const [billed] = settled;
  const { counts } = meaning;
  const isBilled =
    billed?.inputUnits === counts.prompt &&
    billed.cachedUnits === counts.cached &&
    billed.outputUnits === counts.output &&
    prompt === counts.prompt &&
    cached === counts.cached &&
    output === counts.output &&
    !billed.estimated;
  if (!hidesCounts && !isBilled) violations.push({ law: 3, seen: { billed, prompt, cached, output } });
  return violations;
}

/** Calls of one response have no order: their names here tell them apart. */
const inOrder = (calls: ReceivedResponse['calls']) => calls.toSorted((a, b) => (a.name < b.name ? -1 : 1));
