import { describe, expect, it } from '@jest/globals';
import { promptSizeOf } from '../../core/metering/prompt-size.ts';
import { request } from '../../testing/completions/messages/request-fixture.ts';
import { capabilitiesOf, featuresOf } from '../../testing/fields/needs.ts';
import { NO_SEALED_TOKENS } from '../../testing/upstream/no-sealed-tokens.ts';
import { toPayload } from './payload.ts';

const source = { type: 'text', media_type: 'text/plain', data: 'Grass is green.' };
const payloadOf = (block: object) =>
  toPayload(request({ messages: [{ role: 'user', content: [block] }] }), NO_SEALED_TOKENS);

describe('a document that is a text', () => {
  const document = { type: 'document', source, title: 'Facts', context: 'Trusted.' };

  it('becomes a text for routes of other protocols, its title and context first', () => {
    const payload = payloadOf({ ...document, cache_control: { type: 'ephemeral' } });
    expect([featuresOf(payload), capabilitiesOf(payload)]).toEqual([[], []]);
    expect(payload.conversation().turns[0]?.parts).toEqual([
      { type: 'text', text: 'Facts\n\nTrusted.\n\nGrass is green.', cache: '5m' },
    ]);
  });

  it('becomes a text also within the result of a tool', () => {
    const payload = payloadOf({
      type: 'tool_result',
      tool_use_id: 't',
      content: [{ type: 'document', source, title: null }],
    });
    expect(featuresOf(payload)).toEqual([]);
    expect(payload.conversation().turns[0]?.parts).toMatchObject([
      { content: [{ type: 'text', text: 'Grass is green.' }] },
    ]);
  });

  it('reaches a route of its own protocol unchanged, with a hold for its own length', () => {
    const { body } = payloadOf(document);
    expect(body.messages).toEqual([{ role: 'user', content: [document] }]);
    const { unseen, strings } = promptSizeOf(body);
    expect(unseen).toBe(0);
    expect(strings).toEqual(expect.arrayContaining([source.data, '{"title":"Facts"}']));
  });

  it.each<[string, object]>([
    ['is to be cited', { citations: { enabled: true } }],
    ['is empty', { source: { ...source, data: ' ' } }],
    ['is a file', { source: { type: 'file', file_id: 'file_1' } }],
  ])('limits the call to routes of its own protocol if it %s', (_why, fields) => {
    expect(featuresOf(payloadOf({ ...document, ...fields }))).toEqual(['messages-blocks']);
  });
});
