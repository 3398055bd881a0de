import { describe, expect, it } from '@jest/globals';
import { chatBody, turnsToShow } from './chat-body.ts';

const QUESTION = { role: 'user', content: 'Hi' } as const;
const ASSISTANT_MESSAGE = { role: 'assistant', content: 'Hello.' } as const;
const EMPTY = { system: ' ', tools: '', schema: '\n', maxTokens: '' };

describe('the body of a trial', () => {
  it('contains the filled fields, and nothing else', () => {
    expect(chatBody('sim/chat', [QUESTION], EMPTY)).toEqual({ model: 'sim/chat', messages: [QUESTION] });
    expect(
      chatBody('sim/chat', [QUESTION], {
        system: 'Be brief.',
        tools: '[1]',
        schema: '{"type":"object"}',
        maxTokens: '300',
      }),
    ).toEqual({
      model: 'sim/chat',
      max_tokens: 300,
      messages: [{ role: 'system', content: 'Be brief.' }, QUESTION],
      tools: [1],
      response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: { type: 'object' } } },
    });
  });

  it.each([
    ['tools', 'Tools is not JSON.'],
    ['schema', 'The schema of the response is not JSON.'],
  ])('names the field that is not JSON: %s', (field, message) => {
    expect(() => chatBody('sim/chat', [QUESTION], { ...EMPTY, [field]: '{' })).toThrow(message);
  });
});

describe('the conversation turns shown as code', () => {
  it('belong to the next request, or to an example before the first message', () => {
    expect(turnsToShow([], '')).toEqual([{ role: 'user', content: 'Say hello.' }]);
    expect(turnsToShow([], 'Hi')).toEqual([QUESTION]);
    expect(turnsToShow([QUESTION, ASSISTANT_MESSAGE], 'Hi')).toEqual([QUESTION, ASSISTANT_MESSAGE, QUESTION]);
  });

  it('contain the picture of a message as a part of its content', () => {
    const picture = 'data:image/png;base64,AAAA';
    const [turn] = turnsToShow([], 'Hi', picture);
    const image = { type: 'image_url', image_url: { url: picture } };
    expect(turn).toEqual({ role: 'user', content: [{ type: 'text', text: 'Hi' }, image] });
  });

  it('belong to the last request while no message is written', () => {
    expect(turnsToShow([QUESTION, ASSISTANT_MESSAGE], ' ')).toEqual([QUESTION]);
    expect(turnsToShow([QUESTION, ASSISTANT_MESSAGE, QUESTION, ASSISTANT_MESSAGE], '')).toEqual([
      QUESTION,
      ASSISTANT_MESSAGE,
      QUESTION,
    ]);
  });
});
