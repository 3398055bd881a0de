import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../../tools/test-kit/search.ts';
import { offsets, rounds } from '../../../../tools/test-kit/thorough.ts';
import { UpstreamFailure } from '../../core/upstream/provider.ts';
import { outcome } from '../../testing/providers/bedrock/calling.ts';
import {
  end,
  errorFrame,
  exceptionFrame,
  frame,
  framesOf,
  input,
  STREAMS,
  start,
  stop,
  text,
  tool,
} from '../../testing/providers/bedrock/frames.ts';
import { CANARY, everythingIn } from '../../testing/providers/http-calls.ts';
import { openText } from '../../testing/providers/parts.ts';

const OPENING = framesOf([start, text(0, 'The answer')]);

const interruptedBy = (...frames: readonly Uint8Array[]) => outcome(Buffer.concat([OPENING, ...frames]));

describe('a stream of Converse that breaks off', () => {
  it.each(Object.keys(STREAMS))(
    'fails before its end, and ends cleanly after it, at whatever byte: %s',
    async (name) => {
      const events = STREAMS[name] ?? [];
      const bytes = framesOf(events);
      // What follows the end is its usage.
      const completeLength = framesOf(events.slice(0, -1)).length;
      const wrong: number[] = [];
      for (const length of offsets(0, bytes.length - 1)) {
        const { parts, failure } = await outcome(bytes.subarray(0, length));
        const failed = failure instanceof UpstreamFailure && failure.retryable;
        const finished = parts.at(-1)?.type === 'finish';
        if (failure !== undefined && !failed) wrong.push(length);
        if (finished !== length >= completeLength || (!finished && !failed)) wrong.push(length);
      }
      expect(wrong).toEqual([]);
    },
  );

  it('returns the parts before the interruption, and permits an attempt on another route', async () => {
    const { parts, failure } = await outcome(OPENING);
    expect(parts).toEqual(openText(0, 'The answer'));
    expect(failure).toMatchObject({ kind: 'interrupted', retryable: true });
  });

  it('fails if it has sent no event', async () => {
    expect((await outcome(Buffer.alloc(0))).failure).toMatchObject({ kind: 'interrupted', retryable: true });
  });
});

describe('an error within a stream of Converse', () => {
  it.each([
    ['modelStreamErrorException', 424],
    ['internalServerException', 500],
    ['serviceUnavailableException', 503],
    ['throttlingException', 429],
  ])('ends it, whenever it comes, and another route may do better: %s', async (type, status) => {
    const first = await outcome(exceptionFrame(type, CANARY));
    expect(first.failure).toMatchObject({ kind: 'status', status, retryable: true });
    const { parts, failure } = await interruptedBy(exceptionFrame(type, CANARY), frame(end('end_turn')));
    expect(parts).toEqual(openText(0, 'The answer'));
    expect(failure).toMatchObject({ retryable: true });
    expect(everythingIn(failure)).not.toContain(CANARY);
  });

  it('forbids another attempt if it rejects the request', async () => {
    const { failure } = await outcome(exceptionFrame('validationException', 'messages: too many'));
    expect(failure).toMatchObject({ kind: 'status', status: 400, retryable: false });
  });

  it.each([
    exceptionFrame('heronException', CANARY),
    errorFrame('InternalError', CANARY),
    frame(['contentBlockStart', { contentBlockIndex: 0, start: { toolUse: { name: 'f' } } }]),
    frame(input(7, '{}')),
    frame(['contentBlockDelta', 'not json']),
  ])('causes a retryable failure in any form: %#', async (bytes) => {
    const { parts, failure } = await interruptedBy(bytes, frame(end('end_turn')));
    expect(parts).toEqual(openText(0, 'The answer'));
    expect(failure).toMatchObject({ retryable: true });
    expect(failure).toBeInstanceOf(UpstreamFailure);
    expect(everythingIn(failure)).not.toContain(CANARY);
  });

  it('interrupts the stream for a message with a wrong checksum', async () => {
    const bytes = frame(text(0, 'x'));
    const damaged = Uint8Array.from(bytes, (byte, index) => (index === bytes.length - 20 ? byte ^ 1 : byte));
    const { parts, failure } = await interruptedBy(damaged, frame(end('end_turn')));
    expect(parts).toEqual(openText(0, 'The answer'));
    expect(failure).toMatchObject({ kind: 'interrupted', retryable: true });
  });
});

describe('invalid data in a stream of Converse', () => {
  it('ends in events or in an upstream failure for any JSON in any event', async () => {
    const types = ['contentBlockStart', 'contentBlockDelta', 'contentBlockStop', 'messageStop', 'metadata'];
    const deltas = fc.jsonValue().map((delta) => ({ contentBlockIndex: 0, delta }));
    const starts = fc.jsonValue().map((startValue) => ({ contentBlockIndex: 0, start: startValue }));
    const events = fc.array(fc.tuple(fc.constantFrom(...types), fc.oneof(fc.jsonValue(), deltas, starts)));
    await fc.assert(
      fc.asyncProperty(events, async (garbage) => {
        const { failure } = await outcome(
          framesOf([start, tool(0, 'a', 'f'), ...garbage, stop(0), end('end_turn')]),
        );
        if (failure !== undefined) expect(failure).toBeInstanceOf(UpstreamFailure);
      }),
      { numRuns: rounds(60) },
    );
  });

  it('ends in an upstream failure for any bytes', async () => {
    // A frame's first bytes are its length; real ones are far below a megabyte.
    const bytes = fc.uint8Array({ maxLength: 200 }).map((rest) => Buffer.concat([Buffer.from([0, 0]), rest]));
    await fc.assert(
      fc.asyncProperty(bytes, async (body) => {
        expect((await outcome(body)).failure).toBeInstanceOf(UpstreamFailure);
      }),
      { numRuns: rounds(60) },
    );
  });
});
