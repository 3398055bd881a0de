import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { createCapsules } from '../../../../lambdas/adapters/system/capsules.ts';
import { systemAfter, systemClock, systemUlid } from '../../../../lambdas/adapters/system/system.ts';
import { type Model, parseCatalog } from '../../../../lambdas/core/inference/catalog/catalog-document.ts';
import type { ApiFormat } from '../../../../lambdas/core/inference/completions/api-format.ts';
import { chatFormat } from '../../../../lambdas/core/inference/completions/chat/format.ts';
import type { ChatRequest } from '../../../../lambdas/core/inference/completions/chat/request.ts';
import {
  type CompletionDependencies,
  readCompletion,
} from '../../../../lambdas/core/inference/completions/completion-endpoint.ts';
import { openBounds } from '../../../../lambdas/core/inference/completions/open-bounds.ts';
import { responsesFormat } from '../../../../lambdas/core/inference/completions/responses/format.ts';
import { responsesRequest } from '../../../../lambdas/core/inference/completions/responses/schema.ts';
import { promptBounds } from '../../../../lambdas/core/inference/metering/estimate.ts';
import { tokenPrices } from '../../../../lambdas/core/inference/metering/priced-usage.ts';
import { promptSizeOf } from '../../../../lambdas/core/inference/metering/prompt-size.ts';
import { amountOf } from '../../../../lambdas/core/inference/pricing/bill.ts';
import type { Feature, Provider } from '../../../../lambdas/core/inference/upstream/provider.ts';
import { validate } from '../../../../lambdas/core/json/json-body.ts';
import { it } from '../../../search.ts';
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

const able = { features: new Set<Feature>(['choices', 'image-urls', 'messages-blocks']) };
const world = {
  after: systemAfter,
  clock: systemClock,
  ulid: systemUlid,
  random: () => 0.5,
  log: SILENT,
  providers: {
    openai: able,
    'openai-responses': able,
    anthropic: able,
    bedrock: able,
  } as unknown as CompletionDependencies['providers'],
};

const capsules = createCapsules({ current: 'pepper' }, systemClock)('acc_1');

const messagesOf = (content: string) => [{ role: 'user' as const, content }];

function read(models: readonly Model[], fields: { max_tokens: number; n?: number }, content = 'Hello.') {
  const body = { model: 'a/0', messages: messagesOf(content), ...fields };
  return readCompletion(
    chatFormat,
    { body, identity: '', models, catalog: 'v1', capsules, context: { requestId: 'req_1' } },
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
          expect(call.offers[0].costBound(model)).toEqual({
            amount: costOf(bound.tokens),
            ceiling: costOf(bound.most),
          });
          expect(call.offers[0].tokens).toBe(bound.tokens + completionTokens);
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
      { body, identity: '', models: seeing, catalog: 'v1', capsules, context: { requestId: 'req_1' } },
      world,
    );
    expect(call.offers[0].tokens).toBeGreaterThan(10_000);
    expect(call.offers[0].tokens).toBeLessThan(11_000);
  });
});

describe('a completion whose bound is left to the service', () => {
  /** Chat completions, if they had no default. */
  const openFormat: ApiFormat<ChatRequest> = {
    ...chatFormat,
    maxTokens: (request) => ({
      tokens: request.max_tokens ?? undefined,
      param: 'max_tokens',
      fallback: undefined,
    }),
    toPayload: (request, known) => ({
      ...chatFormat.toPayload(request, known),
      limitedTo: (max_tokens) => chatFormat.toPayload({ ...request, max_tokens }, known),
    }),
  };
  const readOpen = (models: readonly Model[], fields: object = {}) => {
    const body = { model: 'a/0', messages: messagesOf('Hello.'), ...fields };
    return readCompletion(
      openFormat,
      { body, identity: '', models, catalog: 'v1', capsules, context: { requestId: 'req_1' } },
      world,
    );
  };

  it('is offered at each bound for what the same call costs whose caller asks for that', () => {
    const models = modelsOf({ max_output_tokens: 20_000 }, { max_output_tokens: 8_192 });
    const { offers } = readOpen(models);
    const asked = openBounds(models, () => ({ most: 0, probable: () => 0 })).map(
      (max_tokens) => read(models, { max_tokens }).offers[0],
    );
    expect(asked).toHaveLength(3);
    expect(offers.map(({ tokens }) => tokens)).toEqual(asked.map(({ tokens }) => tokens));
    for (const model of models)
      expect(offers.map((offer) => offer.costBound(model))).toEqual(asked.map((one) => one.costBound(model)));
  });

  it('is sent within the bound of the offer that is attempted', async () => {
    const sent: unknown[] = [];
    const chat: Provider['chat'] = async ({ payload }) => {
      sent.push([payload.body.max_tokens, payload.conversation().maxTokens]);
      return { kind: 'json', answer: { body: {} }, text: '', usage: undefined };
    };
    const [model] = modelsOf({ max_output_tokens: 20_000 });
    const [route] = model?.routes ?? [];
    if (model === undefined || route === undefined) throw new Error('the catalog is empty');
    const providers = { ...world.providers, openai: { ...able, chat } };
    const call = readCompletion(
      openFormat,
      {
        body: { model: 'a/0', messages: messagesOf('Hello.') },
        ...{ identity: '', models: [model], catalog: 'v1', capsules, context: { requestId: 'req_1' } },
      },
      { ...world, providers },
    );
    for (const offer of call.offers) await offer.attempt({ model, route }, { remainingTimeMs: 60_000 });
    expect(sent).toEqual([20_000, 5_000, 1_250, 312].map((bound) => [bound, bound]));
  });

  it('is so of a request of the Responses API, on every protocol', async () => {
    const sent: unknown[] = [];
    const chat: Provider['chat'] = async ({ payload }) => {
      sent.push([payload.body.max_output_tokens, payload.conversation().maxTokens]);
      return { kind: 'json', answer: { body: {} }, text: '', usage: undefined };
    };
    const protocols = ['openai', 'openai-responses', 'anthropic', 'bedrock'] as const;
    const provider = { ...able, chat };
    const providers = Object.fromEntries(protocols.map((name) => [name, provider]));
    const [model] = modelsOf({
      max_output_tokens: 4_096,
      routes: protocols.map((protocol) => ({
        ...{ ...route, id: protocol, protocol },
        ...(protocol === 'bedrock' ? { secret: undefined } : {}),
      })),
    });
    if (model === undefined) throw new Error('the catalog is empty');
    const call = readCompletion(
      responsesFormat,
      {
        body: validate(responsesRequest, { model: 'a/0', input: 'Hello.' }),
        ...{ identity: '', models: [model], catalog: 'v1', capsules, context: { requestId: 'req_1' } },
      },
      { ...world, providers: providers as unknown as CompletionDependencies['providers'] },
    );
    expect(call.offers).toHaveLength(2);
    expect(call.candidates).toHaveLength(4);
    for (const offer of call.offers)
      for (const candidate of call.candidates) await offer.attempt(candidate, { remainingTimeMs: 60_000 });
    expect(sent).toEqual([4_096, 1_024].flatMap((bound) => Array(4).fill([bound, bound])));
  });

  it('has one offer where the caller gives the bound', () => {
    expect(readOpen(modelsOf({}), { max_tokens: 5_000 }).offers).toHaveLength(1);
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
    const long = 'word '.repeat(26_000);
    expect(() => read(limited, { max_tokens: 10 }, long)).toThrow(
      /prompt is too long: \d+ tokens > 1000 maximum/,
    );
    const [first, wide] = modelsOf({ context_window: 1_000 }, { context_window: 1_000_000 });
    if (first === undefined || wide === undefined) throw new Error('the catalog is empty');
    const call = read([first, wide], { max_tokens: 10 }, long);
    expect(call.candidates.map(({ model }) => model.id)).toEqual(['a/1']);
  });
});
