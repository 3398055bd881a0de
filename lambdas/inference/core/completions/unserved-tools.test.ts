import { describe, expect, it } from '@jest/globals';
import { validate } from '../../../platform/core/json/json-body.ts';
import { messagesFormat } from '../../formats/messages/format.ts';
import { messagesRequest } from '../../formats/messages/schema.ts';
import { responsesFormat } from '../../formats/responses/format.ts';
import { responsesRequest } from '../../formats/responses/schema.ts';
import { modelsOf } from '../../testing/catalog/models.ts';
import { PROVIDERS } from '../../testing/fields/needs.ts';
import type { Model } from '../catalog/catalog-document.ts';
import type { ApiFormat, CompletionBody } from './api-format.ts';
import { unservedTools } from './forwarded-fields.ts';

const SEARCH_PRICE = { features: { web_search: { price: 0.01, max_uses: 5 } } };

const servedBy = (protocol: string, price: object) =>
  modelsOf({
    price: { unit: 'per_million_tokens', input: 1, output: 1, ...price },
    routes: [{ protocol, capabilities: ['tools'] }],
  });

function without<Request extends CompletionBody>(
  format: ApiFormat<Request>,
  request: Request,
  models: readonly Model[],
) {
  const unserved = unservedTools(format, request, { models, providers: PROVIDERS });
  return { unserved: [...unserved], request: format.withoutTools?.(request, unserved) };
}

const messages = [{ role: 'user' as const, content: 'Hi' }];
const mine = { name: 'f', input_schema: { type: 'object' } };
const search = { type: 'web_search_20250305', name: 'web_search' };

describe('a tool of the provider in a Messages request', () => {
  const dropped = (fields: object, protocol = 'openai', price: object = {}) =>
    without(
      messagesFormat,
      validate(messagesRequest, { model: 'a/b', messages, ...fields }),
      servedBy(protocol, price),
    );

  it('disappears if no route can serve it, and the others stay', () => {
    const { unserved, request } = dropped({ tools: [mine, search], tool_choice: { type: 'auto' } });
    expect(unserved).toEqual([1]);
    expect(request).toMatchObject({ tools: [mine], tool_choice: { type: 'auto' } });
    expect(dropped({ tools: [search], tool_choice: { type: 'auto' } }).request).not.toHaveProperty(
      'tool_choice',
    );
  });

  it('disappears if it has no price on any model', () => {
    expect(dropped({ tools: [search] }, 'anthropic').unserved).toEqual([0]);
    expect(dropped({ tools: [search] }, 'anthropic', SEARCH_PRICE).unserved).toEqual([]);
    expect(
      dropped({ tools: [{ ...search, type: 'web_search_20991231' }] }, 'anthropic', SEARCH_PRICE).unserved,
    ).toEqual([0]);
    expect(dropped({ tools: [{ type: 'bash_20250124', name: 'bash' }] }, 'anthropic').unserved).toEqual([]);
  });

  it.each([
    [{ type: 'tool', name: 'web_search' }, [mine, search]],
    [{ type: 'any' }, [search]],
    [{ type: 'tool', name: 'member' }, [mine, { type: 'mcp_toolset' }]],
  ])('stays if the request forces it: %j', (tool_choice, tools) => {
    expect(dropped({ tools, tool_choice }).unserved).toEqual([]);
  });

  it('disappears if the request forces another one', () => {
    expect(dropped({ tools: [mine, search], tool_choice: { type: 'tool', name: 'f' } }).unserved).toEqual([
      1,
    ]);
    expect(dropped({ tools: [mine, search], tool_choice: { type: 'any' } }).unserved).toEqual([1]);
  });
});

describe('a tool of the provider in a Responses request', () => {
  const f = { type: 'function', name: 'f', parameters: null };
  const web = { type: 'web_search' };
  const dropped = (fields: object, protocol = 'openai', price: object = {}) =>
    without(
      responsesFormat,
      validate(responsesRequest, { model: 'a/b', input: 'Hi', ...fields }),
      servedBy(protocol, price),
    );
  const allowed = (mode: string, ...tools: object[]) => ({ type: 'allowed_tools', mode, tools });

  it('disappears if no route serves it at a price', () => {
    expect(dropped({ tools: [web, f] })).toMatchObject({ unserved: [0], request: { tools: [f] } });
    expect(
      dropped({ tools: [web], max_tool_calls: 2 }, 'openai-responses', {
        features: { web_search: { price: 1 } },
      }).unserved,
    ).toEqual([]);
    expect(
      dropped({ tools: [web] }, 'openai-responses', { features: { web_search: { price: 1 } } }).unserved,
    ).toEqual([0]);
  });

  it.each([
    ['required', [web]],
    [{ type: 'web_search' }, [web, f]],
    [allowed('required', web), [web, f]],
  ])('stays if the request forces it: %j', (tool_choice, tools) => {
    expect(dropped({ tools, tool_choice }).unserved).toEqual([]);
  });

  it.each([
    ['required', 'required'],
    ['auto', 'auto'],
    [
      { type: 'function', name: 'f' },
      { type: 'function', name: 'f' },
    ],
    [allowed('auto', web), 'none'],
    [allowed('auto', web, { type: 'function', name: 'f' }), allowed('auto', { type: 'function', name: 'f' })],
  ])('leaves a choice among the other tools: %j', (tool_choice, remainingTools) => {
    expect(dropped({ tools: [web, f], tool_choice })).toMatchObject({
      unserved: [0],
      request: { tool_choice: remainingTools },
    });
  });
});
