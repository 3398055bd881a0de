import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { systemAfter, systemClock, systemUlid } from '../../../../lambdas/adapters/system/system.ts';
import { type Model, parseCatalog } from '../../../../lambdas/core/inference/catalog/catalog-document.ts';
import { chatFormat } from '../../../../lambdas/core/inference/completions/chat/format.ts';
import {
  type CompletionDependencies,
  readCompletion,
} from '../../../../lambdas/core/inference/completions/completion-endpoint.ts';
import { promptBounds } from '../../../../lambdas/core/inference/metering/estimate.ts';
import { tokenPrices } from '../../../../lambdas/core/inference/metering/priced-usage.ts';
import { promptSizeOf } from '../../../../lambdas/core/inference/metering/prompt-size.ts';
import { amountOf } from '../../../../lambdas/core/inference/pricing/bill.ts';
import { SILENT } from '../circuit/memory-circuits.ts';

const route = { protocol: 'openai', base_url: 'https://a.test', upstream_model: 'b', secret: 'env:K' };

const modelsOf = (...entries: readonly object[]): readonly Model[] =>
  parseCatalog({
    models: entries.map((entry, index) => ({
      id: `a/${index}`,
      type: 'chat',
      owned_by: 'a',
      created: 1,
      price: { unit: 'per_million_tokens', input: 2, output: 10 },
      routes: [{ id: `route-${index}`, ...route }],
      ...entry,
    })),
  }).models;

const able = { features: new Set(['choices', 'image-urls', 'messages-blocks']) };
const world = {
  after: systemAfter,
  clock: systemClock,
  ulid: systemUlid,
  random: () => 0.5,
  log: SILENT,
  providers: {
    openai: able,
    anthropic: able,
    bedrock: able,
  } as unknown as CompletionDependencies['providers'],
};

const messagesOf = (content: string) => [{ role: 'user' as const, content }];

function read(models: readonly Model[], fields: { max_tokens: number; n?: number }, content = 'Hello.') {
  const body = { model: 'a/0', messages: messagesOf(content), ...fields };
  return readCompletion(
    chatFormat,
    { body, identity: '', models, catalog: 'v1', context: { requestId: 'req_1' } },
    world,
  );
}

describe('what a completion may cost', () => {
  it('is its prompt and all of its choices, each as long as it may be', () => {
    const [model] = modelsOf({});
    if (model === undefined) throw new Error('the catalog is empty');
    const count = fc.integer({ min: 1, max: 4_000 });
    fc.assert(
      fc.property(
        count,
        fc.integer({ min: 1, max: 8 }),
        fc.string({ maxLength: 300 }),
        (most, n, content) => {
          const call = read([model], { max_tokens: most, n }, content);
          const bound = promptBounds(promptSizeOf({ messages: messagesOf(content) }))(model);
          const completionTokens = most * n;
          const costOf = (promptTokens: number) =>
            amountOf([
              { quantity: promptTokens, price: tokenPrices(model).input, per: 1_000_000 },
              { quantity: completionTokens, price: tokenPrices(model).output ?? 0n, per: 1_000_000 },
            ]);
          expect(call.costBound(model)).toEqual({
            amount: costOf(bound.tokens),
            ceiling: costOf(bound.most),
          });
          expect(call.tokens).toBe(bound.tokens + completionTokens);
        },
      ),
      { numRuns: 30 },
    );
  });

  it('counts the prompt against the limit of tokens by the model that may count the most', () => {
    const models = modelsOf({ max_image_tokens: 100 }, { max_image_tokens: 10_000 });
    const image = { type: 'image_url' as const, image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } };
    const seeing = models.map((model) => ({
      ...model,
      routes: model.routes.map((one) => ({ ...one, capabilities: ['vision' as const] })),
    }));
    const body = { model: 'a/0', messages: [{ role: 'user' as const, content: [image] }], max_tokens: 5 };
    const call = readCompletion(
      chatFormat,
      { body, identity: '', models: seeing, catalog: 'v1', context: { requestId: 'req_1' } },
      world,
    );
    expect(call.tokens).toBeGreaterThan(10_000);
    expect(call.tokens).toBeLessThan(11_000);
  });
});

describe('a completion that no model can give', () => {
  const limited = modelsOf({ max_output_tokens: 100, context_window: 1_000 });

  it('is refused from one token above what the model writes', () => {
    expect(() => read(limited, { max_tokens: 100 })).not.toThrow();
    expect(() => read(limited, { max_tokens: 101 })).toThrow('a/0 writes at most 100 tokens');
  });

  it('is refused for what any of its models does not write', () => {
    const models = modelsOf({}, { max_output_tokens: 100 });
    expect(() => read(models, { max_tokens: 101 })).toThrow('a/1 writes at most 100 tokens');
  });

  it('is refused when its prompt has no room, by the first model that was asked for', () => {
    const long = 'word '.repeat(5_000);
    expect(() => read(limited, { max_tokens: 10 }, long)).toThrow(/a\/0 takes 1000 at most/);
    const [first, wide] = modelsOf({ context_window: 1_000 }, { context_window: 1_000_000 });
    if (first === undefined || wide === undefined) throw new Error('the catalog is empty');
    const call = read([first, wide], { max_tokens: 10 }, long);
    expect(call.candidates.map(({ model }) => model.id)).toEqual(['a/1']);
  });
});
