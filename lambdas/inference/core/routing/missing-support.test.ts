import { describe, expect, it } from '@jest/globals';
import { modelsOf } from '../../testing/catalog/models.ts';
import { chatPayloadOf, messagesPayloadOf } from '../../testing/completions/payloads.ts';
import { payloadOf as responsesPayloadOf } from '../../testing/completions/responses/requests.ts';
import { PROVIDERS } from '../../testing/fields/needs.ts';
import type { ChatPayload } from '../upstream/provider.ts';
import { chooseRoutes } from './route-choice.ts';
import { NO_CONTROLS } from './route-controls.ts';

const OTHER_MODEL = 'Leave it out, or choose another model.';
const PRICED_MODEL = 'Leave it out, or choose a model with a price for it (GET /api/v1/models).';

/** The error of a request for a model `a/b` with one route of the protocol. */
const choose = (payload: ChatPayload, protocol: string) => () =>
  chooseRoutes({
    models: modelsOf({ routes: [{ protocol, capabilities: ['tools', 'stream'] }] }),
    controls: NO_CONTROLS,
    chance: () => 0,
    call: { payload, providers: PROVIDERS, request: {} },
  });

const search = { type: 'web_search_20250305', name: 'web_search' };
const image = {
  role: 'user',
  content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }],
};

describe('the error of a request that no route can serve', () => {
  it.each([
    [
      responsesPayloadOf({ tools: [{ type: 'web_search' }] }),
      'openai-responses',
      `tools[0].type: a/b has no price for the tool web_search. ${PRICED_MODEL}`,
    ],
    [
      responsesPayloadOf({ tools: [{ type: 'image_generation' }] }),
      'openai-responses',
      'tools[0].type: a/b has no price for the tool image_generation. Leave it out.',
    ],
    [
      responsesPayloadOf({ tools: [{ type: 'a tool with words' }] }),
      'openai-responses',
      'tools[0].type: a/b has no price for what this field requests. Leave it out.',
    ],
    [
      messagesPayloadOf({ tools: [search] }),
      'anthropic',
      `tools[0].type: a/b has no price for the tool web_search_20250305. ${PRICED_MODEL}`,
    ],
    [
      chatPayloadOf({ service_tier: 'priority' }),
      'openai',
      `service_tier: a/b has no price for the value priority. ${PRICED_MODEL}`,
    ],
    [
      chatPayloadOf({ service_tier: 'a text of several words' }),
      'openai',
      'service_tier: a/b has no price for what this field requests. Leave it out.',
    ],
    [
      chatPayloadOf({ store: true }),
      'openai',
      'store: a/b has no price for what this field requests. Leave it out.',
    ],
  ])('names the field, what it requests, the model, and what to do: %#', (payload, protocol, message) => {
    expect(choose(payload, protocol)).toThrow(expect.objectContaining({ code: 'unpriced_feature', message }));
  });

  it.each([
    [responsesPayloadOf({ tools: [{ type: 'web_search' }] }), 'openai', 'the tool web_search'],
    [messagesPayloadOf({ tools: [search] }), 'openai', 'the tool web_search_20250305'],
    [messagesPayloadOf({ mcp_servers: [{ type: 'url' }] }), 'openai', 'this kind of content block or tool'],
    [chatPayloadOf({ messages: [image] }), 'openai', 'vision'],
  ])('lists what the routes do not support, if no price is missing: %#', (payload, protocol, subject) => {
    const message = `No route of a/b supports ${subject}. ${OTHER_MODEL}`;
    expect(choose(payload, protocol)).toThrow(
      expect.objectContaining({ code: 'unsupported_by_model', message }),
    );
  });
});
