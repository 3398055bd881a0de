/** Checks that conversions lose nothing, between callers of each format and routes of each protocol. */

import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import Anthropic from '@anthropic-ai/sdk';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { until } from '../../../tools/test-kit/waiting.ts';
import { errorOf, Payer } from '../payer.ts';
import { OWN_KEY, service } from './service.ts';

const payer = Payer.ofTests(service, '20');

const CLAUDE = 'sim/reasoner-anthropic';
const user = (content: string) => ({ role: 'user' as const, content });

interface Route {
  readonly base_url?: string;
  readonly upstream_model: string;
}

interface CatalogDocument {
  readonly models: readonly {
    readonly id: string;
    readonly aliases?: string[];
    readonly routes: readonly Route[];
  }[];
}

const catalog = async () => (await service.admin<{ document: CatalogDocument }>('catalog', 'show')).document;

/** Returns the bodies that have reached the simulated upstream during a call. */
async function sentBy<Result>(call: () => Promise<Result>) {
  const before = (await service.received()).at(-1)?.sequence ?? 0;
  const result = await call();
  const requests = await service.received(before);
  return { result, bodies: requests.map(({ body }) => JSON.stringify(body)) };
}

describe('a session that began at Anthropic', () => {
  it('continues here in the middle of a tool turn, with its thinking unchanged', async () => {
    const { models } = await catalog();
    const [route] = models.find(({ id }) => id === CLAUDE)?.routes ?? [];
    const origin = new Anthropic({
      baseURL: route?.base_url?.replace(/\/v1$/, ''),
      apiKey: 'sim',
      maxRetries: 0,
    });
    const request = {
      max_tokens: 4_000,
      thinking: { type: 'enabled' as const, budget_tokens: 2_000 },
      tools: [{ name: 'get_weather', input_schema: { type: 'object' as const } }],
    };
    const messages = [user('call get_weather {"city":"Oslo"}')];
    const { content } = await origin.messages.create({
      ...request,
      model: route?.upstream_model ?? '',
      messages,
    });
    expect(content.map(({ type }) => type)).toEqual(['thinking', 'tool_use']);
    const call = content.find((block) => block.type === 'tool_use');
    const result = { type: 'tool_result' as const, tool_use_id: call?.id ?? '', content: '21 °C' };
    const next = [
      ...messages,
      { role: 'assistant' as const, content },
      { role: 'user' as const, content: [result] },
    ];
    const { result: answer, bodies } = await sentBy(() =>
      payer.anthropic.messages.create({ ...request, model: CLAUDE, messages: next }),
    );
    expect(JSON.stringify(answer.content)).toContain('21 °C');
    expect(bodies[0]).toContain(JSON.stringify(content[0]));
  });
});

describe('the result of a tool that returned nothing', () => {
  it.each(['sim/chat', 'sim/chat-anthropic', 'sim/chat-bedrock', 'sim/chat-gemini', 'sim/responses'])(
    'reaches a route of each protocol, as an empty list or absent: %s',
    async (model) => {
      for (const content of [[], undefined]) {
        const result = { type: 'tool_result' as const, tool_use_id: 'toolu_1', ...(content && { content }) };
        const { stop_reason: reason } = await payer.anthropic.messages.create({
          model,
          max_tokens: 100,
          tools: [{ name: 'f', input_schema: { type: 'object' } }],
          messages: [
            user('Hi'),
            { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'f', input: {} }] },
            { role: 'user', content: [result] },
          ],
        });
        expect(reason).toBe('end_turn');
      }
    },
  );
});

describe('a request that is converted between chat and Responses', () => {
  const image_url = 'data:image/png;base64,iVBORw0KGgo=';
  const names = { prompt_cache_key: 'thread-7', safety_identifier: 'user-9' };

  it('preserves the detail of an image and the names that the caller chose', async () => {
    const responses = await sentBy(() =>
      payer.client.responses.create({
        model: 'sim/chat',
        ...names,
        input: [{ role: 'user', content: [{ type: 'input_image', image_url, detail: 'high' }] }],
      }),
    );
    expect(JSON.parse(responses.bodies[0] ?? '')).toMatchObject({
      ...names,
      messages: [{ content: [{ type: 'image_url', image_url: { url: image_url, detail: 'high' } }] }],
    });
    const chat = await sentBy(() =>
      payer.client.chat.completions.create({
        model: 'sim/responses',
        ...names,
        messages: [
          { role: 'user', content: [{ type: 'image_url', image_url: { url: image_url, detail: 'low' } }] },
        ],
      }),
    );
    expect(JSON.parse(chat.bodies[0] ?? '')).toMatchObject({
      ...names,
      input: [{ content: [{ type: 'input_image', image_url, detail: 'low' }] }],
    });
  });
});

describe('the options of a Responses request', () => {
  it.each([
    ['sim/chat', 'disabled'],
    ['sim/chat-anthropic', 'disabled'],
    // The route truncates by itself.
    ['sim/responses', 'auto'],
  ])('include truncation, which a route of another protocol has none of: %s', async (model, expected) => {
    const { truncation } = await payer.client.responses.create({ model, input: 'Hi', truncation: 'auto' });
    expect(truncation).toBe(expected);
  });

  it.each([
    ['reasoning.effort', { reasoning: { effort: 'ultra' } }],
    ['include[0]', { include: ['everything'] }],
  ])('cause an error that names them if they are unknown: %s', async (param, fields) => {
    const response = await payer.post('/v1/responses', { model: 'sim/chat', input: 'Hi', ...fields });
    expect(await errorOf(response)).toMatchObject({ status: 400, code: 'invalid_value', param });
  });

  it.each([
    ['sim/chat', null],
    ['sim/chat-bedrock', null],
    ['sim/reasoner-openai', null],
    [CLAUDE, 'high'],
    ['sim/reasoner-responses', 'high'],
  ])('show the effort only if the route can be told of it: %s', async (model, effort) => {
    const request = { model, input: 'Hi', max_output_tokens: 4_000, reasoning: { effort: 'high' as const } };
    expect((await payer.client.responses.create(request)).reasoning?.effort).toBe(effort);
    const streamed = await payer.client.responses.stream(request).finalResponse();
    expect(streamed.reasoning?.effort).toBe(effort);
  });

  it('include a tool without arguments, and the deltas of its call equal the arguments at its end', async () => {
    const stream = await payer.client.responses.create({
      model: 'sim/chat-anthropic',
      input: 'call now {}',
      tools: [{ type: 'function', name: 'now', parameters: { type: 'object' }, strict: false }],
      stream: true,
    });
    let deltas = '';
    let written: string | undefined;
    for await (const event of stream) {
      if (event.type === 'response.function_call_arguments.delta') deltas += event.delta;
      if (event.type === 'response.function_call_arguments.done') written = event.arguments;
    }
    expect([deltas, written]).toEqual(['{}', '{}']);
  });
});

describe('the fingerprint of chat', () => {
  it('stays the same for every model and call, streamed or not', async () => {
    const fingerprints = new Set<unknown>();
    for (const model of ['sim/chat', 'sim/chat-anthropic', 'sim/responses']) {
      const request = { model, messages: [user('Hi')] };
      fingerprints.add((await payer.client.chat.completions.create(request)).system_fingerprint);
      const stream = await payer.client.chat.completions.create({ ...request, stream: true });
      for await (const chunk of stream) fingerprints.add(chunk.system_fingerprint);
    }
    expect([...fingerprints]).toEqual([expect.stringMatching(/^fp_[0-9a-f]{12}$/)]);
  });
});

describe('the list of prices', () => {
  it('shows an entry for every model and alias that the list of models has', async () => {
    const entries = async (path: string) => (await service.fetch(path, { key: null })).json();
    const { data } = (await entries('/v1/models')) as { data: { id: string; alias_of?: string }[] };
    const { count, models } = (await entries('/api/v1/models')) as {
      count: number;
      models: { model: string; model_id: string; alias_of?: string }[];
    };
    expect(count).toBe(data.length);
    expect(models.map(({ model, alias_of: of }) => [model, of])).toEqual(
      data.map(({ id, alias_of: of }) => [id, of]),
    );
    for (const { model, model_id: id, alias_of: of } of models) expect(id).toBe(of ?? model);
  });
});

describe('the stream of a server that ends it in its own way', () => {
  const chunk = (delta: object) => ({ choices: [{ index: 0, delta, finish_reason: null }] });
  const usage = { choices: [], usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 } };
  const STREAMS: Readonly<Record<string, readonly object[]>> = {
    unfinished: [chunk({ content: 'Half an ' }), chunk({ content: 'answer' }), usage],
    malformed: [chunk({ content: 'Hi' }), chunk({ tool_calls: [null] })],
  };
  let upstream: Server;

  beforeAll(async () => {
    upstream = createServer((request, response) => {
      const [, name = ''] = request.url?.split('/') ?? [];
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end((STREAMS[name] ?? []).map((each) => `data: ${JSON.stringify(each)}\n\n`).join(''));
    });
    await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
    const { port } = upstream.address() as AddressInfo;
    const document = await catalog();
    const added = Object.keys(STREAMS).map((name) => ({
      id: `own/${name}`,
      type: 'chat',
      owned_by: 'own',
      created: 1_760_000_000,
      price: { unit: 'per_million_tokens', input: 1, output: 2 },
      routes: [
        {
          id: `own-${name}`,
          protocol: 'openai',
          base_url: `http://127.0.0.1:${port}/${name}/v1`,
          upstream_model: name,
          secret: 'env:OWN_KEY',
          capabilities: ['stream'],
        },
      ],
    }));
    const file = join(service.directory, 'own-streams.json');
    writeFileSync(file, JSON.stringify({ ...document, models: [...document.models, ...added] }));
    await service.admin('catalog', 'apply', file, '--remove');
    // Each function has its own copy of the catalog.
    for (const path of ['/v1/chat/completions', '/v1/messages', '/v1/responses']) {
      const request = { model: 'own/unfinished', stream: true, messages: [user('Hi')], input: 'Hi' };
      const status = async () => {
        const response = await payer.post(path, request);
        await response.text();
        return response.status;
      };
      await until(status, (received) => received === 200);
    }
  });
  afterAll(() => {
    upstream.closeAllConnections();
    upstream.close();
  });

  it('becomes an incomplete response in each format if it ends with usage but no finish reason', async () => {
    const model = 'own/unfinished';
    const messages = [user('Hi')];
    const chat = await payer.client.chat.completions.create({ model, messages, stream: true });
    const reasons: unknown[] = [];
    for await (const { choices } of chat) reasons.push(choices[0]?.finish_reason);
    expect(reasons.at(-1)).toBe('length');
    const response = await payer.client.responses.stream({ model, input: 'Hi' }).finalResponse();
    expect(response).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
      output_text: 'Half an answer',
    });
    const message = await payer.anthropic.messages.stream({ model, messages, max_tokens: 99 }).finalMessage();
    expect(message).toMatchObject({ stop_reason: 'max_tokens', usage: { output_tokens: 2 } });
  });

  it('fails as any malformed stream does if it has no object in place of a tool call', async () => {
    const request = { model: 'own/malformed', max_tokens: 99, stream: true, messages: [user('Hi')] };
    for (const path of ['/v1/chat/completions', '/v1/messages']) {
      const response = await payer.post(path, request);
      expect(response.status).toBe(200);
      expect(await response.text()).toMatch(/Hi.*(?:service_unavailable|api_error)/s);
    }
    expect(service.output).not.toContain('TypeError');
    expect(service.output).not.toContain(OWN_KEY);
  });
});
