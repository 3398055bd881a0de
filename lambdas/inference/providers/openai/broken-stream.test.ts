import { describe, expect } from '@jest/globals';
import { it } from '../../../../tools/test-kit/search.ts';
import { offsets } from '../../../../tools/test-kit/thorough.ts';
import { UpstreamFailure } from '../../core/upstream/provider.ts';
import { everythingIn } from '../../testing/providers/http-calls.ts';
import { outcome, partsOf } from '../../testing/providers/openai/decoding.ts';
import { bytesOf, NAMES, type WireChunk } from '../../testing/providers/openai/fixtures.ts';
import { encode, wire } from '../../testing/providers/streams.ts';

const wireText = (name: string): string => new TextDecoder().decode(bytesOf(name));

/** Returns whether the chunks finish every choice that they start. */
function allFinished(payloads: readonly unknown[]): boolean {
  const open = new Map<number, boolean>();
  for (const { choices } of payloads as readonly WireChunk[])
    for (const { index, finish_reason: reason } of choices)
      open.set(index, (open.get(index) ?? true) && reason === null);
  return open.size > 0 && [...open.values()].every((isOpen) => !isOpen);
}

describe('a stream that breaks off', () => {
  it.each(NAMES)(
    'fails, or ends cleanly after every choice has finished, at whatever byte: %s',
    async (name) => {
      const bytes = bytesOf(name);
      const unfinished: number[] = [];
      for (const length of offsets(0, bytes.length - 1)) {
        const { events, failure } = await outcome(bytes.subarray(0, length));
        if (failure !== undefined) expect(failure).toBeInstanceOf(UpstreamFailure);
        const finished = allFinished(events.flatMap(({ nativeEvent }) => nativeEvent ?? []));
        if (failure === undefined && !finished) unfinished.push(length);
      }
      expect(unfinished.slice(0, 3)).toEqual([]);
    },
  );

  it('returns the parts before the interruption, and permits an attempt on another route', async () => {
    const { events, failure } = await outcome(
      encode(wireText('text').split('data: ').slice(0, 4).join('data: ')),
    );
    expect(events.map(({ outputText }) => outputText)).toEqual(['', 'Grüße', ', 世界']);
    expect(failure).toMatchObject({ kind: 'interrupted', retryable: true });
  });

  it('fails if it contains [DONE] but no output, and permits another route', async () => {
    expect((await outcome(wire('[DONE]'))).failure).toMatchObject({ retryable: true });
    const opening = {
      choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }],
    };
    expect((await outcome(wire(opening), wire('[DONE]'))).failure).toMatchObject({
      retryable: true,
    });
  });
});

describe('an error within a stream', () => {
  it('comes after the output and the usage beside a finish reason, and instead of the end', async () => {
    const content = (text: string, reason: string | null) => ({
      choices: [{ index: 0, delta: { content: text }, finish_reason: reason }],
    });
    const usage = { prompt_tokens: 700, completion_tokens: 9 };
    const { events, failure } = await outcome(
      wire(content('Hello ', null), { ...content('world', 'stop'), usage }, { error: { message: 'x' } }),
    );
    expect(failure).toMatchObject({ kind: 'interrupted' });
    expect(events).toMatchObject([
      { nativeEvent: content('Hello ', null) },
      { nativeEvent: content('world', null), usage: { promptTokens: 700, completionTokens: 9 } },
    ]);
  });

  it('permits another route after an end without output', async () => {
    const end = { choices: [{ index: 0, delta: { content: '' }, finish_reason: 'stop' }] };
    const usage = { prompt_tokens: 700, completion_tokens: 9 };
    const { events } = await outcome(wire({ ...end, usage }, { error: { message: 'x' } }));
    expect(events).toMatchObject([{ hasOutput: false, usage: { promptTokens: 700 } }]);
  });

  it('ends it with a failure that repeats none of its text', async () => {
    const { events, failure } = await outcome(bytesOf('error-in-band'));
    expect(events.map(({ outputText }) => outputText)).toEqual(['', 'The answer is']);
    expect(failure).toMatchObject({ kind: 'interrupted', retryable: true });
    expect(everythingIn(failure)).not.toMatch(/heron|CUDA|node-17/);
  });

  it.each([
    { error: 'overloaded' },
    { error: { message: 'x' }, choices: [{ index: 0, delta: { content: 'y' }, finish_reason: 'stop' }] },
    { error: {} },
    { error: false },
  ])('interrupts the stream in any form: %j', async (chunk) => {
    const { events, failure } = await outcome(wire(chunk));
    expect(events).toEqual([]);
    expect(failure).toMatchObject({ kind: 'interrupted' });
  });

  it('excludes a null error field, which some servers send in every chunk', async () => {
    const chunk = { error: null, choices: [{ index: 0, delta: { content: 'y' }, finish_reason: 'stop' }] };
    const { events, failure } = await outcome(wire(chunk));
    expect(failure).toBeUndefined();
    expect(events).toMatchObject([{ outputText: 'y', hasOutput: true }, { outputText: '' }]);
  });
});

describe('invalid data in a stream', () => {
  it.each([
    { choices: [null] },
    { choices: [5] },
    { choices: {} },
    { choices: [{ delta: null }] },
    { choices: [{ delta: 5 }] },
    { choices: [{ delta: { content: [{ type: 'text' }] } }] },
    { choices: [{ delta: { tool_calls: {} } }] },
    { choices: [{ delta: { tool_calls: [null] } }] },
    { choices: [{ delta: { tool_calls: [{ function: null }] } }] },
    { choices: [{ finish_reason: 7 }] },
    { usage: 'many' },
  ])('causes an upstream failure if it is in a chunk, for callers of each protocol: %j', async (chunk) => {
    expect((await outcome(wire(chunk))).failure).toBeInstanceOf(UpstreamFailure);
    await expect(partsOf(wire(chunk))).rejects.toThrow(UpstreamFailure);
  });

  it('causes a protocol failure if it is more tool calls than any answer has', async () => {
    const calls = Array.from({ length: 4_097 }, (_, n) => ({ id: `call_${n}`, function: { name: 'f' } }));
    const chunk = { choices: [{ index: 0, delta: { tool_calls: calls }, finish_reason: null }] };
    expect((await outcome(wire(chunk))).failure).toMatchObject({ kind: 'protocol' });
    await expect(partsOf(wire(chunk))).rejects.toMatchObject({ kind: 'protocol' });
  });

  it.each([null, 5, 'x', []])(
    'makes an answer malformed if it is in place of a tool call: %j',
    async (call) => {
      const chunk = { choices: [{ index: 0, delta: { tool_calls: [call] }, finish_reason: null }] };
      expect((await outcome(wire(chunk))).failure).toMatchObject({ kind: 'protocol' });
      await expect(partsOf(wire(chunk))).rejects.toMatchObject({ kind: 'protocol' });
    },
  );
});
