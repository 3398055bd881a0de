import { describe, expect, it } from '@jest/globals';
import { chatCompletionRequest } from '../../../../lambdas/core/inference/chat/schema.ts';
import { validate } from '../../../../lambdas/core/json-body.ts';
import { parseJson } from '../../../../lambdas/core/lossless-json.ts';

const requestOf = (fields: string) =>
  validate(
    chatCompletionRequest,
    parseJson(`{"model":"a/b","messages":[{"role":"user","content":"Hi"}],${fields}}`),
  );

describe('the schema of a chat request', () => {
  it('takes a fraction of more digits than a double holds', () => {
    expect(requestOf('"temperature":0.69999998807907104').temperature).toBe(0.699999988079071);
  });

  it('keeps whole numbers to the last digit where it does not judge them', () => {
    const schema = '{"const":12345678901234567890}';
    const request = requestOf(`"tools":[{"type":"function","function":{"name":"f","parameters":${schema}}}]`);
    expect(JSON.stringify(request.tools?.[0]?.function.parameters)).toBe(schema);
  });
});
