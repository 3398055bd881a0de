/** Prompts near the context window of a model, whose tokens the service bounds and only the route knows. */
import { describe, expect, it } from '@jest/globals';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { boundTokens } from '../../../lambdas/inference/core/metering/token-bound.ts';
import { CODE, PROSE } from '../../../tools/bench/tokens/honest.ts';
import { withinOneMinute } from '../../../tools/test-kit/waiting.ts';
import { Payer } from '../payer.ts';
import { service } from './service.ts';

/** Repeats the text until the bound of its tokens exceeds the window. */
const pastBound = (text: string | undefined, window: number): string =>
  `${text} `.repeat(Math.ceil((window + 1) / (boundTokens(`${text} ${text} `) - boundTokens(`${text} `))));

const userMessages = (content: string) => [{ role: 'user', content }];

const payer = Payer.ofTests(service, '5');

describe('a prompt that fits the context window', () => {
  it.each([
    ['Russian', PROSE.Russian, 128_000, 'sim/chat'],
    ['German', PROSE.German, 128_000, 'sim/chat'],
    ['Hindi', PROSE.Hindi, 128_000, 'sim/chat'],
    ['TypeScript', CODE.TypeScript, 200_000, 'sim/chat-large'],
  ])('succeeds in %s, although its bound exceeds the window', async (_name, text, window, model) => {
    const prompt = pastBound(text, window);
    expect(boundTokens(prompt)).toBeGreaterThan(window);
    expect(encode(prompt).length).toBeLessThan(window / 2);
    const body = { model, max_tokens: 8, messages: userMessages(prompt) };
    expect((await payer.post('/v1/chat/completions', body)).status).toBe(200);
  });

  it('leaves enough tokens for the response of a Responses call that does not set a limit', async () => {
    const input = [pastBound(PROSE.Russian, 128_000), 'Write 900 words.'].flatMap(userMessages);
    const response = await payer.post('/v1/responses', { model: 'sim/chat', input });
    expect(await response.json()).toMatchObject({ status: 'completed' });
    expect(Number((await payer.record(response)).output_units)).toBeGreaterThan(900);
  });

  it('succeeds in an embeddings call', async () => {
    const input = pastBound(PROSE.Russian, 8_192);
    const responses = ['sim/embed', 'sim/embed-bedrock'].map(async (model) =>
      payer.post('/v1/embeddings', { model, input }),
    );
    expect((await Promise.all(responses)).map(({ status }) => status)).toEqual([200, 200]);
  });

  it('causes an error in a batch that Bedrock processes item by item', async () => {
    const input = ['short', pastBound(PROSE.Russian, 8_192)];
    const response = await payer.post('/v1/embeddings', { model: 'sim/embed-bedrock', input });
    expect(response.status).toBe(400);
    expect((await response.json()) as object).toMatchObject({
      error: {
        code: 'invalid_value',
        param: 'input[1]',
        message: expect.stringContaining('Send it in a request of its own.'),
      },
    });
  });
});

const OVERFLOW = {
  status: 400,
  body: {
    error: {
      message:
        "This model's maximum context length is 128000 tokens. However, your messages resulted in 130001 tokens.",
      type: 'invalid_request_error',
      code: 'context_length_exceeded',
    },
  },
};

describe('a prompt that its route rejects as too long', () => {
  it.each([
    ['chat', '/v1/chat/completions', { model: 'sim/chat', messages: userMessages('Hi') }],
    ['Messages', '/v1/messages', { model: 'sim/chat', max_tokens: 8, messages: userMessages('Hi') }],
    ['Responses', '/v1/responses', { model: 'sim/chat', input: 'Hi' }],
    ['embeddings', '/v1/embeddings', { model: 'sim/embed', input: 'Hi' }],
  ])('costs nothing and counts against the requests a minute of its key in %s', async (_name, path, body) => {
    const { id, rejected, next } = await withinOneMinute(async () => {
      const account = await service.account('1', { rpm: 1 });
      const send = () => service.post(path, body, { key: account.key });
      await service.fault(OVERFLOW);
      return { id: account.id, rejected: await send(), next: await send() };
    });
    expect(rejected.status).toBe(400);
    const { error } = (await rejected.json()) as { error: { message: string; code?: string } };
    expect(error.message).toMatch(/prompt is too long: .* maximum context length is 128000 tokens/);
    if (path !== '/v1/messages') expect(error.code).toBe('context_length_exceeded');
    expect(next.status).toBe(429);
    expect(await service.wallet(id)).toMatchObject({ balance: 1, held: 0 });
  });
});
