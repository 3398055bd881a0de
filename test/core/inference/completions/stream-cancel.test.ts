import { describe, expect, it } from '@jest/globals';
import { canCancel } from '../../../../lambdas/core/inference/completions/stream-cancel.ts';

const cancelling = { cancels: true, reasoning: false } as const;
const plainPayload = { body: { model: 'm', messages: [], max_tokens: 5 }, demands: [] };

describe('a stream whose caller leaves', () => {
  it('is closed on a route that cancels, for a plain request', () => {
    expect(canCancel(cancelling, plainPayload)).toBe(true);
    expect(canCancel({ ...cancelling, dialect: { store: false } }, plainPayload)).toBe(true);
  });

  it.each([
    { ...cancelling, cancels: false },
    { ...cancelling, reasoning: true },
    { ...cancelling, dialect: { reasoning_request: 'switch' as const } },
    { ...cancelling, dialect: { reasoning_return: 'reasoning_content' as const } },
  ])('is read to its end on the route %j', (route) => {
    expect(canCancel(route, plainPayload)).toBe(false);
  });

  it.each([
    { reasoning_effort: 'low' },
    { reasoning: { effort: 'low' } },
    { thinking: { type: 'adaptive' } },
    { output_config: { effort: 'high' } },
    { enable_thinking: true },
    { chat_template_kwargs: { thinking: true } },
    { prompt_mode: 'reasoning' },
  ])('is read to its end for a request with %j', (asked) => {
    expect(canCancel(cancelling, { ...plainPayload, body: { ...plainPayload.body, ...asked } })).toBe(false);
  });

  it('is read to its end for a request with something that has a price of its own', () => {
    const demands = [{ kind: 'feature', name: 'web_search' }] as unknown as typeof plainPayload.demands;
    expect(canCancel(cancelling, { ...plainPayload, demands })).toBe(false);
  });
});
