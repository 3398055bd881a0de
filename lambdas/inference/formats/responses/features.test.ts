import { describe, expect, it } from '@jest/globals';
import { validate } from '../../../platform/core/json/json-body.ts';
import { parseCatalog } from '../../core/catalog/catalog-document.ts';
import { chooseRoutes } from '../../core/routing/route-choice.ts';
import { featuresOf, PROVIDERS } from '../../testing/fields/needs.ts';
import { NO_SEALED_TOKENS } from '../../testing/upstream/no-sealed-tokens.ts';
import { toPayload } from './payload.ts';
import { responsesRequest } from './schema.ts';

const payloadOf = (fields: object) =>
  toPayload(validate(responsesRequest, { model: 'a/b', input: 'Hi', ...fields }), NO_SEALED_TOKENS);

const { models } = parseCatalog({
  models: [
    {
      id: 'a/b',
      type: 'chat',
      owned_by: 'a',
      created: 1,
      price: { unit: 'per_million_tokens', input: 1, output: 1 },
      routes: [
        {
          id: 'r',
          protocol: 'openai',
          base_url: 'https://a.test/v1',
          upstream_model: 'm',
          capabilities: ['tools', 'documents'],
        },
      ],
    },
  ],
});

describe('a feature of the Responses protocol alone', () => {
  it.each<[object, string]>([
    [
      { tools: [{ type: 'function', name: 'f', parameters: null }, { type: 'web_search' }] },
      'the tool web_search',
    ],
    [
      {
        input: [
          { role: 'user', content: [{ type: 'input_file', file_data: 'data:text/plain;base64,aGk=' }] },
        ],
      },
      'a part of type input_file',
    ],
  ])('causes an error that names it if the model has no route of that protocol: %j', (fields, name) => {
    const payload = payloadOf(fields);
    expect(featuresOf(payload)).toEqual(['responses-items']);
    const choose = () =>
      chooseRoutes({
        models,
        call: { payload, providers: PROVIDERS, request: {} },
        controls: { order: [], only: [], ignore: [], allow_fallbacks: true },
        chance: () => 0,
      });
    expect(choose).toThrow(expect.objectContaining({ code: 'unsupported_by_model' }));
    expect(choose).toThrow(name);
  });

  it('remains absent from a request that every route supports', () => {
    const tools = [{ type: 'function', name: 'f', parameters: null }];
    expect(featuresOf(payloadOf({ tools, truncation: 'auto' }))).toEqual([]);
  });
});
