import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { growthOf, MAX_RATIO } from '../../../../tools/test-kit/growth.ts';
import { it } from '../../../../tools/test-kit/search.ts';
import { withReminders } from '../../core/upstream/system-reminder.ts';
import { anyConversation } from '../../testing/providers/anthropic/conversations.ts';
import { SIGNATURES } from '../../testing/providers/sealing.ts';
import { assistant, user } from '../../testing/providers/turns.ts';
import { alternatingTurns } from './alternating-turns.ts';
import { toClaudeTurns } from './route-signatures.ts';

describe('turns in the order that Claude accepts', () => {
  it('remain the same if they already alternate, and leave the originals unchanged', () => {
    fc.assert(
      fc.property(anyConversation, ({ turns }) => {
        const before = structuredClone(turns);
        const once = alternatingTurns(toClaudeTurns(withReminders(turns), SIGNATURES));
        expect(turns).toEqual(before);
        expect(alternatingTurns(once)).toEqual(once);
      }),
    );
  });

  it.each([
    ['the user', user],
    ['the model', assistant],
  ])('merge in time proportional to their number, even with many turns of %s', async (_role, turn) => {
    const merge = (length: number) => {
      const turns = Array.from({ length }, (_, index) => turn(`.${index}.`));
      const merged = alternatingTurns(toClaudeTurns(withReminders(turns), SIGNATURES));
      expect(merged.at(-1)?.parts).toHaveLength(length);
      expect(merged.at(-1)?.parts.at(-1)).toEqual({ type: 'text', text: `.${length - 1}.` });
    };
    expect(await growthOf(merge, 500)).toBeLessThan(MAX_RATIO);
  });
});
