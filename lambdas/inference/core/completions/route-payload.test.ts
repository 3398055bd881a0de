import { describe, expect, it } from '@jest/globals';
import { candidateOf } from '../../testing/catalog/models.ts';
import { chatPayloadOf, messagesPayloadOf } from '../../testing/completions/payloads.ts';
import type { ChatPayload } from '../upstream/provider.ts';
import { payloadFor } from './forwarded-fields.ts';

/** A route as the catalog would hold it. */
const routeThat = (fields: object) => candidateOf({ routes: [fields] }).route;

const REQUEST = {
  model: 'a/b',
  messages: [{ role: 'user', content: 'Hi' }],
  max_tokens: 100,
  temperature: 0.5,
  top_p: 0.9,
};

const chat = () => chatPayloadOf({ ...REQUEST, stop: 'END' });
const messages = () => messagesPayloadOf({ ...REQUEST, top_k: 40, stop_sequences: ['END'] });

const CALLERS: readonly [string, () => ChatPayload, number | undefined][] = [
  ['a chat request', chat, undefined],
  ['a Messages request', messages, 40],
];

describe.each(CALLERS)('%s', (_name, payload, topK) => {
  it('reaches a route whose model reasons without the sampling fields that the model rejects', () => {
    const { temperature, top_p, top_k, ...rest } = payload().body;
    expect([temperature, top_p, top_k]).toEqual([0.5, 0.9, topK]);
    expect(payloadFor(routeThat({ reasoning: true }), payload()).body).toEqual(rest);
    expect(rest).toMatchObject({ model: 'a/b', max_tokens: 100 });
  });

  it('removes the sampling fields from the conversation too, and changes nothing else', () => {
    const original = payload();
    const { temperature, topP, ...rest } = original.conversation();
    expect([temperature, topP]).toEqual([0.5, 0.9]);
    const adapted = payloadFor(routeThat({ reasoning: true }), original);
    expect(adapted.conversation()).toEqual(rest);
    expect({ ...adapted, body: {}, conversation: {} }).toEqual({ ...original, body: {}, conversation: {} });
  });

  it('reaches any other route unchanged, and stays unchanged for the next route', () => {
    const original = payload();
    expect(payloadFor(routeThat({}), original)).toBe(original);
    payloadFor(routeThat({ reasoning: true }), original).conversation();
    expect(original.body).toEqual(payload().body);
    expect(original.conversation()).toEqual(payload().conversation());
  });
});

describe('the default temperature of a request that names none', () => {
  it.each(CALLERS)('stays away from a route whose model reasons: %s', (_name, payload) => {
    const { temperature: _given, ...request } = REQUEST;
    const plain = payload().protocol === 'openai' ? chatPayloadOf(request) : messagesPayloadOf(request);
    expect(plain.conversation().temperature).toBe(0.7);
    const adapted = payloadFor(routeThat({ reasoning: true }), plain);
    expect(adapted.body).not.toHaveProperty('temperature');
    expect(adapted.conversation()).not.toHaveProperty('temperature');
  });
});
