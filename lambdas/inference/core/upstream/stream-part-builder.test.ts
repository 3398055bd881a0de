import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../../tools/test-kit/search.ts';
import { partsOf, type Step } from '../../testing/upstream/stream-script.ts';
import type { StreamPart } from './conversation.ts';

const FINISH = { reason: 'stop', raw: 'stop' } as const;

const text = fc.string({ maxLength: 5 });
const call = fc.nat(4);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ says: text }),
  fc.record({ refuses: text }),
  fc.record({ thinks: text }),
  fc.record({ signs: fc.string({ minLength: 1 }) }),
  fc.constant('ends text' as const),
  fc.record({ calls: call }),
  fc.record({ adds: text, to: call }),
  fc.record({ ends: call }),
);

const isDeltaOf = (one: Step): one is { readonly adds: string; readonly to: number } =>
  typeof one === 'object' && 'adds' in one;

/** The stream of what a reader of an upstream does, in any order, but for deltas of calls that never began. */
const play = (steps: readonly Step[]): StreamPart[] =>
  partsOf([
    ...steps.filter(
      (one, at) =>
        !isDeltaOf(one) ||
        steps
          .slice(0, at)
          .some((other) => typeof other === 'object' && 'calls' in other && other.calls === one.to),
    ),
    { finishes: FINISH },
  ]);

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
        const prose = steps.filter((one) => !isDeltaOf(one));
        const deltaTexts = prose.map((one) => {
          if (typeof one === 'string') return '';
          if ('says' in one) return one.says;
          return 'refuses' in one ? one.refuses : 'thinks' in one ? one.thinks : '';
        });
        expect(textsOf(play(prose))).toBe(deltaTexts.join(''));
      }),
    );
  });

  it('end a reasoning part with its signature, and give a signature without text a separate part', () => {
    expect(play([{ thinks: 'Hm.' }, { signs: 's1' }, { signs: 's2' }])).toEqual([
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
