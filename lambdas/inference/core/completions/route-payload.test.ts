import { describe, expect, it } from '@jest/globals';
import { validate } from '../../../platform/core/json/json-body.ts';
import { systemClock } from '../../../platform/system/system.ts';
import { toPayload as chatPayload } from '../../formats/chat/payload.ts';
import { chatCompletionRequest } from '../../formats/chat/schema.ts';
import { toPayload as messagesPayload } from '../../formats/messages/payload.ts';
import { messagesRequest } from '../../formats/messages/schema.ts';
import { createSealedTokens } from '../../store/sealed-tokens.ts';
import { type CatalogRoute, parseCatalog } from '../catalog/catalog-document.ts';
import type { ChatPayload } from '../upstream/provider.ts';
import { payloadFor } from './forwarded-fields.ts';

/** A route as the catalog would hold it. */
function routeThat(fields: Partial<CatalogRoute>): CatalogRoute {
  const base_url = 'https://upstream.example/v1';
  const route = { id: 'r', protocol: 'openai', base_url, upstream_model: 'm', ...fields };
  const price = { unit: 'per_million_tokens', input: 1, output: 1 };
  const model = { id: 'a/b', type: 'chat', owned_by: 'a', created: 1, price, routes: [route] };
  const [parsed] = parseCatalog({ models: [model] }).models[0]?.routes ?? [];
  if (parsed === undefined) throw new Error('the catalog has no route');
  return parsed;
}

const REQUEST = {
  model: 'a/b',
  messages: [{ role: 'user', content: 'Hi' }],
  max_tokens: 100,
  temperature: 0.5,
  top_p: 0.9,
};

const sealedTokens = createSealedTokens({ current: 'pepper' }, systemClock)('acc_1');

const chat = () => chatPayload(validate(chatCompletionRequest, { ...REQUEST, stop: 'END' }), sealedTokens);
const messages = () =>
  messagesPayload(
    validate(messagesRequest, { ...REQUEST, top_k: 40, stop_sequences: ['END'] }),
    sealedTokens,
  );

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
    const plain =
      payload().protocol === 'openai'
        ? chatPayload(validate(chatCompletionRequest, request), sealedTokens)
        : messagesPayload(validate(messagesRequest, request), sealedTokens);
    expect(plain.conversation().temperature).toBe(0.7);
    const adapted = payloadFor(routeThat({ reasoning: true }), plain);
    expect(adapted.body).not.toHaveProperty('temperature');
    expect(adapted.conversation()).not.toHaveProperty('temperature');
  });
});
