import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../../tools/test-kit/search.ts';
import type { StreamPart } from './conversation.ts';
import { StreamPartBuilder } from './stream-part-builder.ts';

const FINISH = { reason: 'stop', raw: 'stop' } as const;

/**
 * A step of a reader of an upstream. Steps occur in any order. A call is identified by the number of calls before it.
 */
type Step =
  | { readonly do: 'text' | 'refusal' | 'reasoning'; readonly text: string }
  | { readonly do: 'endText' | 'startCall' }
  | { readonly do: 'endReasoning'; readonly signature: string }
  | { readonly do: 'arguments'; readonly call: number; readonly text: string }
  | { readonly do: 'endCall'; readonly call: number };

const text = fc.string({ maxLength: 5 });
const call = fc.nat(4);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constantFrom('text' as const, 'refusal' as const, 'reasoning' as const), text }),
  fc.record({ do: fc.constantFrom('endText' as const, 'startCall' as const) }),
  fc.record({ do: fc.constant('endReasoning' as const), signature: fc.string({ minLength: 1 }) }),
  fc.record({ do: fc.constant('arguments' as const), call, text }),
  fc.record({ do: fc.constant('endCall' as const), call }),
);

function play(steps: readonly Step[]): StreamPart[] {
  const blocks = new StreamPartBuilder();
  const calls: number[] = [];
  const parts = steps.flatMap((one) => {
    switch (one.do) {
      case 'endText':
        return blocks.endText();
      case 'endReasoning':
        return blocks.endReasoning(one.signature);
      case 'startCall': {
        const started = blocks.startToolCall(`call_${calls.length}`, 'tool');
        calls.push(started.index);
        return started.parts;
      }
      case 'arguments':
        return blocks.argumentsDelta(calls[one.call] ?? -1, one.text);
      case 'endCall':
        return blocks.endToolCall(calls[one.call] ?? -1);
      default:
        return blocks.textDelta(one.do, one.text);
    }
  });
  return [...parts, ...blocks.finish(FINISH)];
}

/** The rules of `StreamPart` that a stream breaks. */
function broken(parts: readonly StreamPart[]): string[] {
  const faults: string[] = [];
  const open = new Map<number, { readonly type: string; deltas: number }>();
  let started = 0;
  parts.forEach((part, at) => {
    if (part.type === 'finish') {
      if (open.size > 0) faults.push('a block is open at the finish');
      if (at !== parts.length - 1) faults.push('the finish is not last');
      return;
    }
    const block = open.get(part.index);
    if (part.type === 'start') {
      if (part.index !== started) faults.push('the blocks are not numbered in the order of their start');
      started += 1;
      if ([...open.values()].some(({ type }) => type !== 'tool-call'))
        faults.push('a block starts while one that is no tool call is open');
      open.set(part.index, { type: part.content.type, deltas: 0 });
      return;
    }
    if (block === undefined) {
      faults.push(`a ${part.type} of a block that is not open`);
      return;
    }
    if (part.type === 'delta') {
      if (part.text === '') faults.push('a delta is empty');
      block.deltas += 1;
      return;
    }
    if (part.signature !== undefined && block.type !== 'reasoning')
      faults.push('what is no reasoning has a signature');
    if (block.deltas === 0 && block.type !== 'tool-call' && part.signature === undefined)
      faults.push(`a ${block.type} without a delta`);
    open.delete(part.index);
  });
  if (parts.at(-1)?.type !== 'finish') faults.push('there is no finish');
  return faults;
}

/** Returns the joined text of a stream, in order. */
const textsOf = (parts: readonly StreamPart[]) =>
  parts.map((part) => (part.type === 'delta' ? part.text : '')).join('');

describe('the blocks of a stream', () => {
  it('follow the rules of a streamed response, whatever a reader does in any order', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        expect(broken(play(steps))).toEqual([]);
      }),
      { numRuns: 1_000 },
    );
  });

  it('lose no text', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const deltaTexts = steps.flatMap((one) =>
          'text' in one && one.do !== 'arguments' ? [one.text] : [],
        );
        const prose = steps.filter((one) => one.do !== 'arguments');
        expect(textsOf(play(prose))).toBe(deltaTexts.join(''));
      }),
    );
  });

  it('end a reasoning part with its signature, and give a signature without text a separate part', () => {
    const parts = play([
      { do: 'reasoning', text: 'Hm.' },
      { do: 'endReasoning', signature: 's1' },
      { do: 'endReasoning', signature: 's2' },
    ]);
    expect(parts).toEqual([
      { type: 'start', index: 0, content: { type: 'reasoning' } },
      { type: 'delta', index: 0, text: 'Hm.' },
      { type: 'end', index: 0, signature: 's1' },
      { type: 'start', index: 1, content: { type: 'reasoning' } },
      { type: 'end', index: 1, signature: 's2' },
      { type: 'finish', ...FINISH },
    ]);
  });

  it('follow rules that detect a broken stream', () => {
    const start = { type: 'start', index: 0, content: { type: 'text' } } as const;
    const delta = { type: 'delta', index: 0, text: 'a' } as const;
    const end = { type: 'end', index: 0 } as const;
    const finish = { type: 'finish', ...FINISH } as const;
    expect(broken([start, delta, end, finish])).toEqual([]);
    for (const wrong of [
      [start, delta, finish],
      [start, end, finish],
      [delta, finish],
      [start, delta, start, end, finish],
      [start, delta, end, end, finish],
      [finish, start, delta, end],
      [start, delta, end],
      [{ ...start, index: 1 }, { ...delta, index: 1 }, { ...end, index: 1 }, finish],
    ])
      expect(broken(wrong)).not.toEqual([]);
  });
});
