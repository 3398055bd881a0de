/**
 * Generated streams of every protocol, within and slightly outside of its documentation, against the laws of streams.
 * `npm run bench -- wire` plays 10,000 of each.
 */
import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../tools/test-kit/search.ts';
import { rounds } from '../../../tools/test-kit/thorough.ts';
import { FORMAT_NAMES } from '../testing/completions/received.ts';
import { type Break, play, sequencesOf, type Violation } from '../testing/wire/laws.ts';
import { WIRE_PROTOCOLS } from '../testing/wire/protocols/all.ts';
import { ANTHROPIC } from '../testing/wire/protocols/anthropic.ts';
import { GEMINI } from '../testing/wire/protocols/gemini.ts';
import { OPENAI } from '../testing/wire/protocols/openai.ts';
import { endIndex, type WireEvent, type WireProtocol } from '../testing/wire/wire-protocol.ts';

/** The sequences of each protocol. A plain run plays 200. */
const SEQUENCES = rounds(400);

const format = fc.constantFrom(...FORMAT_NAMES);

describe.each(WIRE_PROTOCOLS)('a generated stream of $protocol', (protocol) => {
  it('loses no output, shows no unclean end as clean, is billed and valid, and leaves nothing held', async () => {
    const outcomes = new Set<string>();
    const play200 = fc.asyncProperty(sequencesOf(protocol), format, async (sequence, name) => {
      outcomes.add(sequence.outcome);
      expect(await play(protocol, name, sequence)).toEqual([]);
    });
    await fc.assert(play200, { numRuns: SEQUENCES });
    expect([...outcomes]).toEqual(expect.arrayContaining(['whole', 'failed', 'unclean']));
  });
});

/** A reader that takes the first end for the last event with content. */
const stopAtFirstEnd = (events: readonly WireEvent[]): readonly WireEvent[] => {
  const end = endIndex(events);
  return events.filter(({ role }, index) => index <= end || role !== 'content');
};

/** A reader that takes the last counts, whatever came before. */
function takeLastCounts(events: readonly WireEvent[]): readonly WireEvent[] {
  const last = events.findLastIndex(({ data }) => typeof data === 'object' && 'usage' in data);
  return events.map(({ data, ...event }, index) => {
    if (typeof data === 'string' || index === last) return { ...event, data };
    const { usage: _earlier, ...rest } = data;
    return { ...event, data: rest };
  });
}

const CONTROLS: readonly (readonly [Violation['law'], string, WireProtocol, Break])[] = [
  [1, 'stops at the first finish reason', OPENAI, { read: stopAtFirstEnd }],
  [
    1,
    'stops at the first finish reason of Gemini',
    GEMINI,
    { read: (events) => events.slice(0, endIndex(events) + 1) },
  ],
  [
    2,
    'ignores what reports a failure',
    ANTHROPIC,
    { read: (events) => events.filter(({ fails }) => fails !== true) },
  ],
  [3, 'follows counts that fall', OPENAI, { read: takeLastCounts }],
  [
    3,
    'bills more than the hold',
    OPENAI,
    {
      served: (served) => ({
        ...served,
        settled: served.settled.map((outcome) => ({ ...outcome, amount: served.hold + 1n })),
      }),
    },
  ],
  [
    4,
    'leaves out the end of the stream',
    OPENAI,
    {
      served: (served) => ({
        ...served,
        text: served.text.replaceAll(/"finish_reason":"\w+"/g, '"finish_reason":null'),
      }),
    },
  ],
  [
    5,
    'settles twice',
    OPENAI,
    { served: (served) => ({ ...served, settled: [...served.settled, ...served.settled] }) },
  ],
  [5, 'keeps the connection', GEMINI, { served: (served) => ({ ...served, openBodies: 1 }) }],
];

describe('a law of streams', () => {
  it.each(CONTROLS)('%d detects a product that %s', async (law, _name, protocol, broken) => {
    const found = fc.sample(sequencesOf(protocol), SEQUENCES)[Symbol.iterator]();
    for (let next = found.next(); !next.done; next = found.next()) {
      const violations = await play(protocol, 'chat', next.value, broken);
      if (violations.some((violation) => violation.law === law)) return;
    }
    throw new Error(`no sequence breaks law ${law}`);
  });
});
