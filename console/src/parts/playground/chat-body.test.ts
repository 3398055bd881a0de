import { describe, expect, it } from '@jest/globals';
import { chatBody, turnsToShow } from './chat-body.ts';

const ASKED = { role: 'user', content: 'Hi' } as const;
const ANSWERED = { role: 'assistant', content: 'Hello.' } as const;
const EMPTY = { system: ' ', tools: '', schema: '\n' };

describe('the body of a trial', () => {
  it('contains the filled fields, and nothing else', () => {
    expect(chatBody('sim/chat', [ASKED], EMPTY)).toEqual({ model: 'sim/chat', messages: [ASKED] });
    expect(
      chatBody('sim/chat', [ASKED], { system: 'Be brief.', tools: '[1]', schema: '{"type":"object"}' }),
    ).toEqual({
      model: 'sim/chat',
      messages: [{ role: 'system', content: 'Be brief.' }, ASKED],
      tools: [1],
      response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: { type: 'object' } } },
    });
  });

  it.each([
    ['tools', 'Tools is not JSON.'],
    ['schema', 'The schema of the answer is not JSON.'],
  ])('names the field that is not JSON: %s', (field, message) => {
    expect(() => chatBody('sim/chat', [ASKED], { ...EMPTY, [field]: '{' })).toThrow(message);
  });
});

describe('the turns that are shown as code', () => {
  it('belong to the next request, or to an example before the first message', () => {
    expect(turnsToShow([], '')).toEqual([{ role: 'user', content: 'Say hello.' }]);
    expect(turnsToShow([], 'Hi')).toEqual([ASKED]);
    expect(turnsToShow([ASKED, ANSWERED], 'Hi')).toEqual([ASKED, ANSWERED, ASKED]);
  });

  it('belong to the last request while no message is written', () => {
    expect(turnsToShow([ASKED, ANSWERED], ' ')).toEqual([ASKED]);
    expect(turnsToShow([ASKED, ANSWERED, ASKED, ANSWERED], '')).toEqual([ASKED, ANSWERED, ASKED]);
  });
});
