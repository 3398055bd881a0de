import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Turn } from '../../../lambdas/core/inference/upstream/conversation.ts';
import { withReminders } from '../../../lambdas/core/inference/upstream/system-reminder.ts';
import { alternatingTurns } from '../../../lambdas/providers/claude/alternating-turns.ts';
import { provenTurns } from '../../../lambdas/providers/claude/proofs.ts';
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
  ])('are merged in time in proportion to them, even 100,000 of %s', (_role, turn) => {
    const turns = Array.from({ length: 100_000 }, (_, index) => turn(`.${index}.`));
    const startedMs = performance.now();
    const merged = alternatingTurns(provenTurns(withReminders(turns), SIGNATURES));
    // Measured at 0.06 s; with a copy of the message for each of its turns, 16 s for 30,000.
    expect(performance.now() - startedMs).toBeLessThan(2_000);
    expect(merged.at(-1)?.parts).toHaveLength(100_000);
    expect(merged.at(-1)?.parts.at(-1)).toEqual({ type: 'text', text: '.99999.' });
  });
});
