import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../../tools/test-kit/search.ts';
import { validate } from '../../../platform/core/json/json-body.ts';
import type { Log } from '../../../platform/core/ports.ts';
import { systemAfter, systemClock } from '../../../platform/system/system.ts';
import { chatFormat } from '../../formats/chat/format.ts';
import type { ChatRequest } from '../../formats/chat/request.ts';
import { responsesFormat } from '../../formats/responses/format.ts';
import { responsesRequest } from '../../formats/responses/schema.ts';
import { createSealedTokens } from '../../store/sealed-tokens.ts';
import { recordedAdmission } from '../../testing/admission.ts';
import { modelsOf as catalogModels } from '../../testing/catalog/models.ts';
import { SILENT } from '../../testing/circuit/memory-circuits.ts';
import type { UnsettledCall } from '../call.ts';
import type { Model } from '../catalog/catalog-document.ts';
import type { Feature } from '../fields/need.ts';
import { PromptTokens } from '../metering/estimate.ts';
import { tokenPrices } from '../metering/priced-usage.ts';
import { promptSizeOf } from '../metering/prompt-size.ts';
import { boundTokens } from '../metering/token-bound.ts';
import { amountOf } from '../pricing/bill.ts';
import type { Provider } from '../upstream/provider.ts';
import type { ApiFormat, CompletionBody } from './api-format.ts';
import { type CompletionDependencies, readCompletion } from './completion-endpoint.ts';
import type { StartedResponse } from './delivery.ts';

/** Models `a/0`, `a/1` and so on, each with the route of its number. */
const modelsOf = (...entries: readonly object[]): readonly Model[] =>
  catalogModels(
    ...entries.map((entry, index) => ({
      id: `a/${index}`,
      price: { unit: 'per_million_tokens', input: 2, output: 10 },
      routes: [{ id: `route-${index}` }],
      ...entry,
    })),
  );

const able = { features: new Set<Feature>(['choices', 'image-urls', 'messages-blocks']) };
const world = {
  after: systemAfter,
  clock: systemClock,
  random: () => 0.5,
  log: SILENT,
  providers: {
    openai: able,
    'openai-responses': able,
    anthropic: able,
    bedrock: able,
  } as unknown as CompletionDependencies['providers'],
};

const sealedTokens = createSealedTokens({ current: 'pepper' }, systemClock)('acc_1');

const CALLER = { requestId: 'req_1', key: { accountId: 'acc_1', keyId: 'key_1', secretHash: '' } };

const messagesOf = (content: string) => [{ role: 'user' as const, content }];

const readOf = <Request extends CompletionBody>(
  format: ApiFormat<Request>,
  body: Request,
  models: readonly Model[],
  dependencies: Partial<CompletionDependencies> = {},
) =>
  readCompletion(
    format,
    { body, identity: '', models, catalog: 'v1', sealedTokens, ...CALLER },
    { ...world, ...dependencies },
  );

function read(
  models: readonly Model[],
  fields: { max_tokens: number; n?: number },
  content = 'Hello.',
  dependencies: Partial<CompletionDependencies> = {},
) {
  return readOf(chatFormat, { model: 'a/0', messages: messagesOf(content), ...fields }, models, dependencies);
}

describe('the cost bound of a completion', () => {
  it('equals the cost of its prompt and of all its choices at full length', () => {
    const [model] = modelsOf({}) as [Model];
    const count = fc.integer({ min: 1, max: 4_000 });
    fc.assert(
      fc.property(
        count,
        fc.integer({ min: 1, max: 8 }),
        fc.string({ maxLength: 300 }),
        (most, n, content) => {
          const call = read([model], { max_tokens: most, n }, content);
          const prompt = new PromptTokens(promptSizeOf({ messages: messagesOf(content) }));
          const completionTokens = most * n;
          const costOf = (promptTokens: number) =>
            amountOf([
              { quantity: promptTokens, price: tokenPrices(model).input, per: 1_000_000 },
              { quantity: completionTokens, price: tokenPrices(model).output ?? 0n, per: 1_000_000 },
            ]);
          expect(call.output).toEqual({ min: most, max: most });
          expect(call.cost(most)).toBe(costOf(prompt.held(model)));
          expect(call.tokens(most)).toBe(prompt.probable(model) + completionTokens);
        },
      ),
      { numRuns: 30 },
    );
  });

  it('counts as many tokens a minute as the image probably has on any of its models', () => {
    const seen = { type: 'image_url', image_url: { url: 'https://example.com/cat.png' } } as const;
    const messages = [{ role: 'user' as const, content: [seen] }];
    const seeing = (model: object, index: number) => ({
      routes: [{ id: `route-${index}`, capabilities: ['vision'] }],
      ...model,
    });
    const tokensOn = (...models: readonly object[]) =>
      readOf(chatFormat, { model: 'a/0', messages, max_tokens: 50 }, modelsOf(...models.map(seeing))).tokens(
        50,
      );
    expect(tokensOn({}) - tokensOn({ max_image_tokens: 100 })).toBe(1_500);
    expect(tokensOn({ max_image_tokens: 100 }, {})).toBe(tokensOn({}));
  });

  it('grows with a model’s factor for texts, and with the tokens that its provider adds before a prompt', () => {
    const content = 'Good morning, Angela. '.repeat(50);
    const fields = { max_tokens: 100 };
    const costWith = (limits: object) => read(modelsOf(limits), fields, content).cost(100);
    const plain = costWith({});
    // A token of prompt costs 2,000 nano-USD.
    const byFactor = 2 * boundTokens(content);
    expect(costWith({ token_factor: 3 })).toBe(plain + BigInt(byFactor) * 2_000n);
    expect(costWith({ hidden_tokens: 5_128 })).toBe(plain + 10_000_000n);
  });

  it('equals the cost on the route whose dialect adds the most to the prompt, whatever the order of the routes', () => {
    const plain = {};
    const adding = { dialect: { assistant_after_tools: true } };
    const boundOf = (...routes: readonly object[]) =>
      read(modelsOf({ routes: routes.map((one, at) => ({ ...one, priority: at + 1 })) }), {
        max_tokens: 100,
      }).cost(100);
    expect(boundOf(adding)).toBeGreaterThan(boundOf(plain));
    expect(boundOf(plain, adding)).toBe(boundOf(adding));
    expect(boundOf(adding, plain)).toBe(boundOf(adding));
  });
});

describe('a completion of which its route reports more than its bound', () => {
  it('costs what is held for it and no more, which is in the log by model and route', async () => {
    const models = modelsOf({});
    const [candidate] = models.flatMap((model) => model.routes.map((route) => ({ model, route })));
    const warned: unknown[] = [];
    const log: Log = { ...SILENT, warn: (message, fields) => void warned.push([message, fields]) };
    for (const [reported, lines] of [
      [1_000_000, 1],
      [10, 0],
    ] as const) {
      warned.length = 0;
      const call = read(models, { max_tokens: 50 }, 'Hello.', { log });
      const amount = call.cost(50);
      const { admission, outcomes } = recordedAdmission(amount, 50);
      const usage = { promptTokens: reported, cachedTokens: 0, completionTokens: reported };
      const answer = {
        kind: 'json',
        completeResponse: { body: {} },
        outputText: 'Hello.',
        usage,
      } as unknown as StartedResponse;
      const deliver = await call.prepare(answer, {
        candidate,
        storeResponse: undefined,
        flush: async () => {},
        admission,
      } as unknown as UnsettledCall);
      await deliver();
      const [outcome] = outcomes;
      // 2,000 nano-USD a token of prompt, and 10,000 of output.
      const outputCost = BigInt(reported) * 12_000n;
      expect(outcome?.amount).toBe(outputCost > amount ? amount : outputCost);
      expect((outcome?.amount ?? 0n) + (outcome?.excess?.amount ?? 0n)).toBe(outputCost);
      const names = { requestId: 'req_1', model: 'a/0', route: 'route-0' };
      expect(warned).toEqual(Array(lines).fill(['a route counted more than the bound', names]));
    }
  });
});

describe('a completion whose output is left to the service', () => {
  /** Chat completions, if they had no default. */
  const openFormat: ApiFormat<ChatRequest> = {
    ...chatFormat,
    maxTokens: (request) => ({
      tokens: request.max_tokens ?? undefined,
      param: 'max_tokens',
      fallback: undefined,
    }),
    toPayload: (request, models) => ({
      ...chatFormat.toPayload(request, models),
      limitedTo: (max_tokens) => chatFormat.toPayload({ ...request, max_tokens }, models),
    }),
  };
  const readOpen = (
    models: readonly Model[],
    fields: object = {},
    dependencies: Partial<CompletionDependencies> = {},
  ) => readOf(openFormat, { model: 'a/0', messages: messagesOf('Hello.'), ...fields }, models, dependencies);

  it('ranges from 256 tokens to the limit of its models, at the cost of the same explicit output', () => {
    const models = modelsOf({ max_output_tokens: 20_000 }, { max_output_tokens: 8_192 });
    const call = readOpen(models);
    expect(call.output).toEqual({ min: 256, max: 8_192 });
    for (const max_tokens of [256, 1_000, 8_192]) {
      const bound = read(models, { max_tokens });
      expect(call.tokens(max_tokens)).toBe(bound.tokens(max_tokens));
      expect(call.cost(max_tokens)).toBe(bound.cost(max_tokens));
    }
  });

  it('costs no less and counts no fewer tokens for more output', () => {
    const call = readOpen(modelsOf({ max_output_tokens: 20_000 }, {}));
    fc.assert(
      fc.property(fc.nat(20_000), fc.nat(20_000), (one, other) => {
        const [less, extraFields] = [Math.min(one, other), Math.max(one, other)];
        expect(call.cost(extraFields)).toBeGreaterThanOrEqual(call.cost(less));
        expect(call.tokens(extraFields)).toBeGreaterThanOrEqual(call.tokens(less));
      }),
    );
  });

  it.each([
    ['chat', ['openai'], readOpen, 'max_tokens'],
    [
      'Responses',
      ['openai', 'openai-responses', 'anthropic', 'bedrock'],
      (models: readonly Model[], _fields: object, dependencies: Partial<CompletionDependencies>) =>
        readOf(
          responsesFormat,
          validate(responsesRequest, { model: 'a/0', input: 'Hello.' }),
          models,
          dependencies,
        ),
      'max_output_tokens',
    ],
  ] as const)(
    'reaches the routes of all protocols with the admitted output in %s',
    async (_name, protocols, readIn, field) => {
      const requests: unknown[] = [];
      const chat: Provider['chat'] = async ({ payload }) => {
        requests.push([payload.body[field], payload.conversation().maxTokens]);
        return { kind: 'json', completeResponse: { body: {} }, outputText: '', usage: undefined };
      };
      const providers = Object.fromEntries(protocols.map((name) => [name, { ...able, chat }]));
      const models = modelsOf({
        max_output_tokens: 4_096,
        routes: protocols.map((protocol) => ({
          id: protocol,
          protocol,
          ...(protocol === 'bedrock' ? { base_url: undefined } : {}),
        })),
      });
      const call = readIn(
        models,
        {},
        { providers: providers as unknown as CompletionDependencies['providers'] },
      );
      expect(call.output).toEqual({ min: 256, max: 4_096 });
      expect(call.candidates).toHaveLength(protocols.length);
      const outputs = [4_096, 312];
      for (const output of outputs)
        for (const candidate of call.candidates)
          await call.attempt(candidate, { remainingTimeMs: 60_000 }, output);
      expect(requests).toEqual(outputs.flatMap((output) => protocols.map(() => [output, output])));
    },
  );
});

describe('a completion that no model can give', () => {
  const limited = modelsOf({ max_output_tokens: 100, context_window: 1_000 });

  it('fails from one token above the output limit of any of its models', () => {
    expect(() => read(limited, { max_tokens: 100 })).not.toThrow();
    const models = modelsOf({}, { max_output_tokens: 100 });
    expect(() => read(models, { max_tokens: 101 })).toThrow(
      'max_tokens: a/1 writes at most 100 tokens, and this request allows 101. Request fewer, or choose another model.',
    );
  });

  it('fails if its prompt fits no model, and drops a model that the prompt does not fit', () => {
    const long = 'word '.repeat(26_000);
    expect(() => read(limited, { max_tokens: 10 }, long)).toThrow(
      /prompt is too long: \d+ tokens > 1000 maximum/,
    );
    const both = modelsOf({ context_window: 1_000 }, { context_window: 1_000_000 });
    const call = read(both, { max_tokens: 10 }, long);
    expect(call.candidates.map(({ model }) => model.id)).toEqual(['a/1']);
  });
});
