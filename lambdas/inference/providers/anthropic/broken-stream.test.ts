import { describe, expect } from '@jest/globals';
import { it } from '../../../../tools/test-kit/search.ts';
import { offsets } from '../../../../tools/test-kit/thorough.ts';
import {
  block,
  change,
  closed,
  FINAL_EVENT,
  outcome,
  READINGS,
  START,
  STOP,
} from '../../testing/providers/anthropic/decoding.ts';
import { bytesOf, FOREIGN, NAMES, NATIVE } from '../../testing/providers/anthropic/fixtures.ts';
import { everythingIn } from '../../testing/providers/http-calls.ts';
import { withProofs } from '../../testing/providers/sealing.ts';
import { wire } from '../../testing/providers/streams.ts';

describe.each(READINGS)('a stream that breaks off, read %s,', (_reading, context) => {
  it.each(NAMES)('fails, or has already sent its stop event, at whatever byte it ends: %s', async (name) => {
    const bytes = bytesOf(name);
    const { events: allEvents } = await outcome(context, bytes);
    const ends: number[] = [];
    for (const length of offsets(0, bytes.length - 1)) {
      const { events, failure } = await outcome(context, bytes.subarray(0, length));
      if (failure === undefined) {
        ends.push(length);
        expect(withProofs(events)).toEqual(withProofs(allEvents));
      } else {
        // A cut between two lines of one event's data leaves half of its JSON.
        const kind =
          name === 'line-forms' ? expect.stringMatching(/^(interrupted|protocol)$/) : 'interrupted';
        expect(failure).toMatchObject({ kind, retryable: true });
        expect(withProofs(allEvents.slice(0, events.length))).toEqual(withProofs(events));
      }
    }
    expect(ends.length).toBeLessThan(20);
    expect(
      ends.filter(
        (length) => !new TextDecoder().decode(bytes.subarray(0, length)).includes('message_stop"}'),
      ),
    ).toEqual([]);
  });

  it('repeats none of the text of an error', async () => {
    const { events, failure } = await outcome(context, bytesOf('error-in-band'));
    expect(events.map(({ outputText }) => outputText)).toEqual(['', '', 'The answer is']);
    expect(failure).toMatchObject({ kind: 'interrupted', retryable: true });
    expect(everythingIn(failure)).not.toMatch(/heron|node-17|overloaded/);
  });

  it.each([
    [{}],
    [{ type: 7 }],
    [{ type: 'message_start' }],
    [{ type: 'message_start', message: [] }],
    [{ type: 'message_start', message: {} }],
    [{ type: 'content_block_start', index: 0 }],
    [{ type: 'content_block_start', index: 0, content_block: 'text' }],
    [{ type: 'content_block_delta', index: 0, delta: null }],
    [{ type: 'message_delta', delta: 5 }],
    [{ type: 'message_delta' }],
    [STOP],
  ])('causes a protocol failure if an event is malformed or out of place: %j', async (data) => {
    expect((await outcome(context, wire(START, data))).failure).toMatchObject({
      kind: 'protocol',
      retryable: true,
    });
  });

  it.each([
    [block(0, { type: 'text', text: 'x' })],
    [change(0, { type: 'text_delta', text: 'x' })],
    [FINAL_EVENT],
    [STOP],
  ])('causes a protocol failure if it does not start with a message: %j', async (data) => {
    expect((await outcome(context, wire(data))).failure).toMatchObject({ kind: 'protocol' });
  });
});

describe('a block without a start', () => {
  it.each([[change(3, { type: 'text_delta', text: 'x' })], [closed(3)]])(
    'causes a protocol failure for callers of every protocol, because a client has no such block: %j',
    async (data) => {
      expect((await outcome(FOREIGN, wire(START, data))).failure).toMatchObject({ kind: 'protocol' });
      expect((await outcome(NATIVE, wire(START, data))).failure).toMatchObject({ kind: 'protocol' });
    },
  );

  it.each([
    { type: 'tool_use', name: 'f' },
    { type: 'tool_use', id: 'toolu_1' },
  ])('causes a protocol failure, as does a call without an id or a name: %j', async (content) => {
    expect((await outcome(FOREIGN, wire(START, block(0, content)))).failure).toMatchObject({
      kind: 'protocol',
    });
  });
});
