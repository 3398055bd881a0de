import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { growthOf, MOST_IN_PROPORTION } from '../../../../tools/test-kit/growth.ts';
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

const reminder = (at: number) => reminderOf(`${at}`);

describe('a system message between turns, for a route that takes none there', () => {
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
    const result: Turn = {
      role: 'user',
      parts: [{ type: 'tool-result', id: '1', content: [], isError: false }],
    };
    const [, user] = withReminders([turn('assistant', 'x'), turn('system', 'y'), result]);
    expect(user?.parts.map(({ type }) => type)).toEqual(['tool-result', 'text']);
  });

  it('moves behind the results of tools, and otherwise stays in place', () => {
    const result: Turn = {
      role: 'user',
      parts: [{ type: 'tool-result', id: '1', content: [], isError: false }],
    };
    const [user, said, called, late] = turnsOf('usas') as [Turn, Turn, Turn, Turn];
    expect(behindResults([user, said, called, late, result])).toEqual([user, said, called, result, late]);
    expect(behindResults([user, said, called, late, user])).toEqual([user, said, called, late, user]);
    expect(behindResults([late, user, late])).toEqual([late, user, late]);
  });

  it('loses nothing, says each once, and leaves the beginning as it was when the conversation goes on', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[uas]{0,12}$/), fc.stringMatching(/^[ua]{0,3}$/), (roles, more) => {
        const given = turnsOf(roles);
        const text = shown(withReminders(given)).join('\n');
        for (const [at, letter] of [...roles].entries())
          expect(text.split(letter === 's' ? reminder(at) : `${at}`).length).toBeGreaterThan(1);
        expect((text.match(/<system-reminder>/g) ?? []).length).toBe(roles.replaceAll(/[^s]/g, '').length);
        // What waits for the user's next turn is the one thing that may still move.
        if (/as+$/.test(roles) || /^s/.test(roles)) return;
        expect(
          shown(withReminders(turnsOf(roles + more))).slice(0, shown(withReminders(given)).length),
        ).toEqual(shown(withReminders(given)));
      }),
    );
  });

  it('takes time in proportion to the number of messages', async () => {
    const say = (turns: number) =>
      expect(withReminders(turnsOf(`u${'s'.repeat(turns)}`))[0]?.parts).toHaveLength(turns + 1);
    expect(await growthOf(say, 500)).toBeLessThan(MOST_IN_PROPORTION);
  });

  it('leaves a conversation without any as it is', () => {
    expect(withReminders(turnsOf('uaua'))).toEqual(turnsOf('uaua'));
  });
});
