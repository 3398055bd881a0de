import { describe, expect, it } from '@jest/globals';
import { toPayload } from '../../../../../lambdas/core/inference/completions/responses/payload.ts';
import type { ResponsesRequest } from '../../../../../lambdas/core/inference/completions/responses/request.ts';
import { responsesRequest } from '../../../../../lambdas/core/inference/completions/responses/schema.ts';
import { chooseRoutes } from '../../../../../lambdas/core/inference/routing/route-choice.ts';
import { validate } from '../../../../../lambdas/core/json/json-body.ts';
import { NO_CAPSULES } from '../../upstream/no-capsules.ts';

const payloadOf = (fields: object) =>
  toPayload(
    validate(responsesRequest, { model: 'a/b', input: 'Hi', ...fields }) as ResponsesRequest,
    NO_CAPSULES,
  );

describe('what routes of its own protocol alone can carry', () => {
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
    [{ truncation: 'auto' }, 'truncation "auto"'],
  ])('is refused by its name where a model has no such route: %j', (fields, name) => {
    const demands = payloadOf(fields);
    expect(demands.features).toEqual(['responses-items']);
    const choose = () =>
      chooseRoutes({
        models: [],
        demands,
        controls: { order: [], only: [], ignore: [], allowFallbacks: true },
        chance: () => 0,
      });
    expect(choose).toThrow(expect.objectContaining({ code: 'unsupported_by_model' }));
    expect(choose).toThrow(name);
  });

  it('is nothing that every route can be given', () => {
    const tools = [{ type: 'function', name: 'f', parameters: null }];
    expect(payloadOf({ tools, truncation: 'disabled' }).features).toEqual([]);
  });
});
