import { describe, expect, it } from '@jest/globals';
import { mayWriteUnseen } from '../../../../lambdas/core/inference/completions/unseen-output.ts';

const plainRoute = { protocol: 'openai', reasoning: false } as const;
const plainPayload = { body: { model: 'm', messages: [], max_tokens: 5 }, demands: [] };

describe('whether a model may write what its stream does not show', () => {
  it('is denied of a plain request on a plain route', () => {
    expect(mayWriteUnseen(plainRoute, plainPayload)).toBe(false);
    expect(mayWriteUnseen({ ...plainRoute, protocol: 'anthropic' }, plainPayload)).toBe(false);
    expect(mayWriteUnseen({ ...plainRoute, dialect: { store: false } }, plainPayload)).toBe(false);
  });

  it.each([
    { ...plainRoute, reasoning: true },
    { ...plainRoute, protocol: 'openai-responses' as const },
    { ...plainRoute, protocol: 'gemini' as const },
    { ...plainRoute, dialect: { reasoning_request: 'switch' as const } },
    { ...plainRoute, dialect: { reasoning_return: 'reasoning_content' as const } },
  ])('is assumed of the route %j', (route) => {
    expect(mayWriteUnseen(route, plainPayload)).toBe(true);
  });

  it.each([
    { reasoning_effort: 'low' },
    { reasoning: { effort: 'low' } },
    { thinking: { type: 'adaptive' } },
    { output_config: { effort: 'high' } },
    { enable_thinking: true },
    { chat_template_kwargs: { thinking: true } },
  ])('is assumed of a request with %j', (asked) => {
    expect(mayWriteUnseen(plainRoute, { ...plainPayload, body: { ...plainPayload.body, ...asked } })).toBe(
      true,
    );
  });

  it('is assumed of a request with something that has a price of its own', () => {
    const demands = [{ kind: 'feature', name: 'web_search' }] as unknown as typeof plainPayload.demands;
    expect(mayWriteUnseen(plainRoute, { ...plainPayload, demands })).toBe(true);
  });
});
