import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import type { Turn } from '../../../lambdas/core/inference/upstream/conversation.ts';
import { withReminders } from '../../../lambdas/core/inference/upstream/system-reminder.ts';
import { alternatingTurns } from '../../../lambdas/providers/claude/alternating-turns.ts';
import { provenTurns } from '../../../lambdas/providers/claude/proofs.ts';
import { growthOf, MOST_IN_PROPORTION } from '../../growth.ts';
import { it } from '../../search.ts';
import { anyConversation } from '../anthropic/conversations.ts';
import { SIGNATURES } from '../sealing.ts';

const user = (words: string): Turn => ({ role: 'user', parts: [{ type: 'text', text: words }] });
const assistant = (words: string): Turn => ({ role: 'assistant', parts: [{ type: 'text', text: words }] });

describe('turns as Claude takes them', () => {
  it('are the same when they are so already, and their own are not touched', () => {
    fc.assert(
      fc.property(anyConversation, ({ turns }) => {
        const before = structuredClone(turns);
        const once = alternatingTurns(provenTurns(withReminders(turns), SIGNATURES));
        expect(turns).toEqual(before);
        expect(alternatingTurns(once)).toEqual(once);
      }),
    );
  });

  it.each([
    ['the user', user],
    ['the model', assistant],
  ])('are merged in time in proportion to them, even thousands of %s', async (_role, turn) => {
    const merge = (length: number) => {
      const turns = Array.from({ length }, (_, index) => turn(`.${index}.`));
      const merged = alternatingTurns(provenTurns(withReminders(turns), SIGNATURES));
      expect(merged.at(-1)?.parts).toHaveLength(length);
      expect(merged.at(-1)?.parts.at(-1)).toEqual({ type: 'text', text: `.${length - 1}.` });
    };
    expect(await growthOf(merge, 500)).toBeLessThan(MOST_IN_PROPORTION);
  });
});
