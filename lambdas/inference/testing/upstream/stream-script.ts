/** Streamed answers written down as what happens in them; the blocks are numbered as providers number them. */
import type { Finish, StreamPart } from '../../core/upstream/conversation.ts';
import { StreamPartBuilder } from '../../core/upstream/stream-part-builder.ts';

export type Step =
  | { readonly says: string }
  | { readonly refuses: string }
  | { readonly thinks: string }
  | { readonly signs: string }
  | 'ends text'
  /** Calls by a number of their own; `c0` calls `f0`. */
  | { readonly calls: number; readonly id?: string; readonly name?: string }
  | { readonly adds: string; readonly to: number }
  | { readonly ends: number }
  | { readonly finishes: Finish };

/** The parts of a stream. A call that has not begun is added to at a block that there is not. */
export function partsOf(steps: readonly Step[]): StreamPart[] {
  const blocks = new StreamPartBuilder();
  const calls = new Map<number, number>();
  return steps.flatMap((step): readonly StreamPart[] => {
    if (step === 'ends text') return blocks.endText();
    if ('says' in step) return blocks.textDelta('text', step.says);
    if ('refuses' in step) return blocks.textDelta('refusal', step.refuses);
    if ('thinks' in step) return blocks.textDelta('reasoning', step.thinks);
    if ('signs' in step) return blocks.endReasoning(step.signs);
    if ('calls' in step) {
      const { calls: number, id = `c${number}`, name = `f${number}` } = step;
      const { index, parts } = blocks.startToolCall(id, name);
      calls.set(number, index);
      return parts;
    }
    if ('adds' in step) {
      const block = calls.get(step.to);
      if (block !== undefined) return blocks.argumentsDelta(block, step.adds);
      return [{ type: 'delta', index: 1_000, text: step.adds }];
    }
    if ('ends' in step) return blocks.endToolCall(calls.get(step.ends) ?? 1_000);
    return blocks.finish(step.finishes);
  });
}
