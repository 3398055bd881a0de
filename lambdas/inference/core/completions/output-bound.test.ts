import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../../tools/test-kit/search.ts';
import { chatFormat } from '../../formats/chat/format.ts';
import { messagesFormat } from '../../formats/messages/format.ts';
import { responsesFormat } from '../../formats/responses/format.ts';
import { outputBound } from '../metering/output-bound.ts';

interface Limits {
  readonly max_output_tokens?: number;
  readonly default_max_tokens?: number;
  readonly clamp_max_tokens?: boolean;
}

const modelOf = (limits: Limits, index = 0) => ({ id: `a/${index}`, clamp_max_tokens: false, ...limits });
const boundOf = (tokens: number | undefined, ...models: readonly Limits[]) =>
  outputBound(models.map(modelOf), { tokens, param: 'max_tokens', fallback: 256 });

describe('the output bound of a request', () => {
  it('equals the caller’s bound if the model writes that many tokens', () => {
    expect(boundOf(100, { max_output_tokens: 100 })).toEqual({ tokens: 100, isChosen: false });
    expect(boundOf(100, {})).toEqual({ tokens: 100, isChosen: false });
  });

  it('falls back to 256, or to the operator’s default for the model, if the caller sets none', () => {
    expect(boundOf(undefined, {})).toEqual({ tokens: 256, isChosen: true });
    expect(boundOf(undefined, { default_max_tokens: 4_096 }, {})).toEqual({ tokens: 4_096, isChosen: true });
  });

  it('stays open if the API format has no default, even if the operator has set one', () => {
    const requestedOutput = { tokens: undefined, param: 'max_output_tokens', fallback: undefined };
    expect(outputBound([modelOf({ default_max_tokens: 5 })], requestedOutput)).toEqual({
      tokens: undefined,
      isChosen: true,
    });
  });

  it('causes an error with the field’s name if it exceeds the model’s limit', () => {
    const rejection = expect.objectContaining({ code: 'invalid_value', param: 'max_tokens' });
    expect(() => boundOf(101, { max_output_tokens: 100 })).toThrow(rejection);
    expect(() =>
      boundOf(101, { max_output_tokens: 100, clamp_max_tokens: true }, { max_output_tokens: 50 }),
    ).toThrow(rejection);
  });

  it('equals the limit if it is larger and the operator permits that', () => {
    const clamped = { max_output_tokens: 100, clamp_max_tokens: true };
    expect(boundOf(101, clamped)).toEqual({ tokens: 100, isChosen: true });
    expect(boundOf(100, clamped)).toEqual({ tokens: 100, isChosen: false });
  });

  it('never exceeds the limit of any model of the call, nor a requested bound', () => {
    const limits = fc.record(
      {
        max_output_tokens: fc.integer({ min: 1, max: 500 }),
        default_max_tokens: fc.integer({ min: 1, max: 500 }),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(
        fc.option(fc.integer({ min: 1, max: 1_000 }), { nil: undefined }),
        fc.array(limits, { minLength: 1, maxLength: 4 }),
        (requestedOutput, models) => {
          const { tokens = Number.NaN } = boundOf(
            requestedOutput,
            ...models.map((one) => ({ ...one, clamp_max_tokens: true })),
          );
          for (const { max_output_tokens: maxTokens = Number.POSITIVE_INFINITY } of models)
            expect(tokens).toBeLessThanOrEqual(maxTokens);
          if (requestedOutput !== undefined) expect(tokens).toBeLessThanOrEqual(requestedOutput);
          expect(tokens).toBeGreaterThan(0);
        },
      ),
    );
  });
});

describe('a request with another bound', () => {
  const messages = [{ role: 'user' as const, content: 'Hi' }];

  it.each([
    [{}, { max_tokens: 9 }],
    [{ max_tokens: 50 }, { max_tokens: 9 }],
    [{ max_completion_tokens: 50 }, { max_completion_tokens: 9 }],
    [{ max_tokens: 50, max_completion_tokens: 50 }, { max_completion_tokens: 9 }],
  ])('uses the caller’s field name in chat: %j', (request, expected) => {
    expect(chatFormat.withMaxTokens({ model: 'm', messages, ...request }, 9)).toEqual({
      model: 'm',
      messages,
      ...expected,
    });
  });

  it('sets the field of Responses', () => {
    expect(
      responsesFormat.withMaxTokens({ model: 'm', input: 'Hi', max_output_tokens: 50 }, 9),
    ).toMatchObject({
      max_output_tokens: 9,
    });
  });

  it.each([
    [20_000, { type: 'enabled', budget_tokens: 10_000 }, { type: 'enabled', budget_tokens: 10_000 }],
    [10_000, { type: 'enabled', budget_tokens: 10_000 }, { type: 'enabled', budget_tokens: 9_999 }],
    [1_024, { type: 'enabled', budget_tokens: 10_000 }, { type: 'disabled' }],
    [1_025, { type: 'enabled', budget_tokens: 10_000 }, { type: 'enabled', budget_tokens: 1_024 }],
    [9, { type: 'adaptive' }, { type: 'adaptive' }],
  ])(
    'leaves tokens for the output in addition to the thinking in Messages: %j',
    (tokens, thinking, expected) => {
      const request = { model: 'm', messages, max_tokens: 30_000, thinking };
      expect(messagesFormat.withMaxTokens(request, tokens)).toEqual({
        ...request,
        max_tokens: tokens,
        thinking: expected,
      });
    },
  );
});
