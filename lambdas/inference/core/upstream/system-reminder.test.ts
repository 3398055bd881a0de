import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { growthOf, MAX_RATIO } from '../../../../tools/test-kit/growth.ts';
import { it } from '../../../../tools/test-kit/search.ts';
import type { Turn } from './conversation.ts';
import { behindResults, reminderOf, withReminders } from './system-reminder.ts';

const turn = (role: Turn['role'], text: string): Turn => ({ role, parts: [{ type: 'text', text }] });
/** A letter a turn, by its role: `u`, `a` or `s`, each with its place as text. */
const turnsOf = (roles: string): Turn[] =>
  [...roles].map((letter, at) =>
    turn(letter === 'u' ? 'user' : letter === 'a' ? 'assistant' : 'system', `${at}`),
  );
const shown = (turns: readonly Turn[]): string[] =>
  turns.map(
    ({ role, parts }) => `${role[0]}:${parts.map((part) => ('text' in part ? part.text : '')).join('+')}`,
  );

const result: Turn = {
  role: 'user',
  parts: [{ type: 'tool-result', id: '1', content: [], isError: false }],
};
const reminder = (at: number) => reminderOf(`${at}`);

describe('a system message between turns, for a route that does not support it', () => {
  it.each([
    ['us', [`u:0+${reminder(1)}`]],
    ['usu', [`u:0+${reminder(1)}`, 'u:2']],
    ['asu', ['a:0', `u:2+${reminder(1)}`]],
    ['uas', ['u:0', 'a:1', `u:${reminder(2)}`]],
    ['uasa', ['u:0', 'a:1', `u:${reminder(2)}`, 'a:3']],
    ['uassu', ['u:0', 'a:1', `u:4+${reminder(2)}+${reminder(3)}`]],
    ['ussa', [`u:0+${reminder(1)}+${reminder(2)}`, 'a:3']],
  ])('ends the user’s turn before it, else the next, else is a turn: %s', (roles, expected) => {
    expect(shown(withReminders(turnsOf(roles)))).toEqual(expected);
  });

  it('stands after the results of tools, so that they follow their calls', () => {
    const [, user] = withReminders([turn('assistant', 'x'), turn('system', 'y'), result]);
    expect(user?.parts.map(({ type }) => type)).toEqual(['tool-result', 'text']);
  });

  it('moves behind the results of tools, and otherwise stays in place', () => {
    const turns = turnsOf('usas');
    const late = turns.slice(-1);
    expect(behindResults([...turns, result])).toEqual([...turns.slice(0, -1), result, ...late]);
    for (const unchanged of [turnsOf('usasu'), turnsOf('sus')])
      expect(behindResults(unchanged)).toEqual(unchanged);
  });

  it('loses nothing, appears once, and leaves the beginning unchanged when the conversation continues', () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[uas]{0,12}$/),
        fc.stringMatching(/^[ua]{0,3}$/),
        (roles, addedRoles) => {
          const turns = turnsOf(roles);
          const text = shown(withReminders(turns)).join('\n');
          for (const [at, letter] of [...roles].entries())
            expect(text.split(letter === 's' ? reminder(at) : `${at}`).length).toBeGreaterThan(1);
          expect((text.match(/<system-reminder>/g) ?? []).length).toBe(roles.replaceAll(/[^s]/g, '').length);
          // What waits for the user's next turn is the one thing that may still move.
          if (/as+$/.test(roles) || /^s/.test(roles)) return;
          expect(
            shown(withReminders(turnsOf(roles + addedRoles))).slice(0, shown(withReminders(turns)).length),
          ).toEqual(shown(withReminders(turns)));
        },
      ),
    );
  });

  it('takes time in proportion to the number of messages', async () => {
    const assistantTurn = (turns: number) =>
      expect(withReminders(turnsOf(`u${'s'.repeat(turns)}`))[0]?.parts).toHaveLength(turns + 1);
    expect(await growthOf(assistantTurn, 500)).toBeLessThan(MAX_RATIO);
  });

  it('leaves a conversation without system messages unchanged', () => {
    expect(withReminders(turnsOf('uaua'))).toEqual(turnsOf('uaua'));
  });
});
