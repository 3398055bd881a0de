/** A catalog that is applied while the service runs, and routes of servers that a test itself plays. */
import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parseUsd } from '../../../lambdas/platform/core/money.ts';
import { until } from '../../../tools/test-kit/waiting.ts';
import { OWN_KEY, service } from './service.ts';

const nano = (amount: number | string): bigint => parseUsd(amount) ?? 0n;
const userMessage = (content: string) => ({ model: 'sim/chat', messages: [{ role: 'user', content }] });
const usage = async (key: string, id: string | null) =>
  (await (await service.fetch(`/v1/usage/${id}`, { key })).json()) as { readonly cost: number };

/** The price of a model while it thinks. */
const TIER = { input: 1, output: 3 };

const KWARGS = 'chat_template_kwargs';

/** Fields of hosts that would lift the output above `max_tokens`. */
const LIFTING = {
  n_predict: 30_000,
  best_of: 20,
  max_new_tokens: 30_000,
  num_return_sequences: 20,
  candidate_count: 20,
  use_beam_search: true,
  ignore_eos: true,
  options: { num_predict: 30_000 },
  parameters: { max_new_tokens: 30_000 },
  chat_template: '{{ messages }}',
  [KWARGS]: { thinking_budget: 30_000 },
  extra_body: [{ n_predict: 30_000 }],
};

describe('another catalog', () => {
  let upstream: Server;
  const observed: { readonly authorization: string | undefined; readonly body: Record<string, unknown> }[] =
    [];

  beforeAll(async () => {
    upstream = createServer((request, response) => {
      let text = '';
      request.on('data', (chunk) => {
        text += String(chunk);
      });
      request.on('end', () => {
        const body = JSON.parse(text) as Record<string, unknown>;
        observed.push({ authorization: request.headers.authorization, body });
        const usage = { prompt_tokens: 10, completion_tokens: 40_000, total_tokens: 40_010 };
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(
          JSON.stringify({
            id: 'theirs',
            object: 'chat.completion',
            created: 1,
            model: 'their-model',
            vendor_field: 'kept',
            ...(body.enable_thinking === true ? { usage } : {}),
            choices: [{ index: 0, message: { role: 'assistant', content: 'Hello.' }, finish_reason: 'stop' }],
          }),
        );
      });
    });
    await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => {
    upstream.closeAllConnections();
    upstream.close();
  });

  /** One catalog for all tests below: it is live within seconds of being applied. */
  async function applyMore(): Promise<void> {
    const { document } = await service.admin<{
      document: { models: { id: string; routes: { id: string }[] }[] };
    }>('catalog', 'show');
    const [first] = document.models;
    const added = {
      ...first,
      id: 'sim/added',
      routes: first?.routes.map((route) => ({ ...route, id: `${route.id}-added` })),
    };
    const ownModel = (name: string, route: object) => ({
      id: `own/${name}`,
      type: 'chat',
      owned_by: 'own',
      created: 1_760_000_000,
      price: { unit: 'per_million_tokens', input: 1, output: 2, service_tiers: { thinking: TIER } },
      routes: [
        {
          id: `own-${name}`,
          protocol: 'openai',
          base_url: `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/v1`,
          upstream_model: 'their-model',
          secret: 'env:OWN_KEY',
          ...route,
        },
      ],
    });
    const models = [
      ...document.models,
      added,
      ownModel('model', { passes: ['future_field'] }),
      ownModel('thinker', { dialect: { preset: 'qwen' } }),
      ownModel('template', { dialect: { preset: 'vllm' } }),
    ];
    const file = join(service.directory, 'more.json');
    writeFileSync(file, JSON.stringify({ ...document, models }));
    await service.admin('catalog', 'apply', file, '--remove');
  }

  it('applies within seconds while the service runs', async () => {
    const { key } = await service.account('1');
    const added = async () =>
      (await service.chat({ ...userMessage('Hi'), model: 'sim/added' }, { key })).status;
    expect(await added()).toBe(400);
    await applyMore();
    expect(await until(added, (status) => status !== 400)).toBe(200);
  });

  it('supports any OpenAI-compatible server: its key is from a secret, and its listed fields reach it but not the caller', async () => {
    const { key } = await service.account('1');
    const response = await service.chat(
      { ...userMessage('Hi'), model: 'own/model', future_field: { a: 1 }, other_field: 1 },
      { key },
    );
    const text = await response.text();
    expect(JSON.parse(text)).toMatchObject({
      model: 'own/model',
      usage: { total_tokens: expect.any(Number) },
    });
    expect(text).not.toContain('their');
    expect(text).not.toContain('vendor_field');
    expect(observed[0]?.authorization).toBe(`Bearer ${OWN_KEY}`);
    expect(response.headers.get('x-ignored-fields')).toBe('other_field');
    expect(observed[0]?.body).not.toHaveProperty('other_field');
    expect(observed[0]?.body).toMatchObject({
      model: 'their-model',
      future_field: { a: 1 },
      max_tokens: 256,
      temperature: 0.7,
    });
    // The route reported no usage, so the service counted, and says so.
    expect(await usage(key, response.headers.get('x-request-id'))).toMatchObject({
      estimated: true,
      status: 'completed',
    });
    expect(service.output).not.toContain(OWN_KEY);
  });

  it('sends no field that raises the output of a host above its held bound, and counts reasoning within the bound', async () => {
    const { key } = await service.account('1');
    const send = async (model: string, fields: object) => {
      const before = observed.length;
      const request = { ...userMessage('Hi'), model, max_tokens: 16, ...fields };
      const response = await service.chat(request, { key });
      return { response, sent: observed.slice(before).map(({ body }) => body) };
    };
    const { response, sent } = await send('own/thinker', {
      ...LIFTING,
      enable_thinking: true,
      thinking_budget: 12,
    });
    expect(response.status).toBe(200);
    const [body = {}] = sent;
    expect(Object.keys(body).filter((name) => name in LIFTING)).toEqual([]);
    expect(body).toMatchObject({ enable_thinking: true, thinking_budget: 12, max_tokens: 4 });
    expect(decodeURIComponent(response.headers.get('x-ignored-fields') ?? '').split(',')).toEqual(
      Object.keys(LIFTING).map((name) => (name === KWARGS ? `${KWARGS}.thinking_budget` : name)),
    );
    // Of the 40,000 tokens that the route reports, the 16 that were held for are paid.
    const { cost } = await usage(key, response.headers.get('x-request-id'));
    expect(nano(cost)).toBe(10n * 1_000n + 16n * 3_000n);
    expect((await send('own/thinker', {})).sent).toMatchObject([{ enable_thinking: false, max_tokens: 16 }]);

    for (const [model, fields] of [
      ['own/thinker', { thinking_budget: 38_912 }],
      ['own/template', { [KWARGS]: { thinking_budget: 38_912 } }],
      ['own/thinker', { n_predict: 16, provider: { require_parameters: true } }],
    ] as const) {
      const rejected = await send(model, fields);
      expect(rejected.response.status).toBe(400);
      expect(await rejected.response.text()).toMatch(/thinking_budget|n_predict/);
      expect(rejected.sent).toEqual([]);
    }
  });
});
