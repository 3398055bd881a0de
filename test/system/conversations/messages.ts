import Anthropic from '@anthropic-ai/sdk';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { describedFetch } from '../described-answers.ts';
import { PNG } from './matrix/scenarios.ts';
import { service } from './service.ts';

let key: string;
let client: Anthropic;

beforeAll(async () => {
  const { base_url: baseURL } = service.session;
  ({ key } = await service.account('20'));
  client = new Anthropic({ baseURL, apiKey: key, maxRetries: 0, fetch: describedFetch });
}, 90_000);

const PROTOCOLS = { openai: 'sim/chat', anthropic: 'sim/chat-anthropic', bedrock: 'sim/chat-bedrock' };
const each = Object.entries(PROTOCOLS).map(([protocol, model]) => ({ protocol, model }));

const post = (body: object, headers: Record<string, string> = {}, path = '/v1/messages') =>
  service.fetch(path, {
    method: 'POST',
    key,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
const userMessage = (content: string) => [{ role: 'user' as const, content }];

interface Event {
  readonly name: string;
  readonly data: { readonly type: string } & Record<string, unknown>;
}

/** The events of a stream as they are on the wire. */
async function events(response: Response): Promise<Event[]> {
  return (await response.text())
    .split('\n\n')
    .filter((sseEvent) => sseEvent !== '')
    .map((sseEvent) => {
      const [, name = '', data = ''] = /^event: (.*)\ndata: (.*)$/.exec(sseEvent) ?? [];
      return { name, data: JSON.parse(data) as Event['data'] };
    });
}

const fault = (fields: object, match: object = {}) =>
  fetch(`${service.session.upstream_control_url}/faults`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ fault: fields, match }),
  });

async function lastUpstreamBody(): Promise<Record<string, unknown>> {
  const { requests } = (await (await fetch(`${service.session.upstream_control_url}/requests`)).json()) as {
    requests: readonly { readonly body: Record<string, unknown> }[];
  };
  return requests.at(-1)?.body ?? {};
}

describe.each(each)('over a route that speaks $protocol', ({ model }) => {
  it('streams events in the order of the interface, named on the wire', async () => {
    const stream = await post({
      model,
      stream: true,
      messages: userMessage('Repeat exactly: one two three'),
    });
    expect(stream.headers.get('content-type')).toMatch(/^text\/event-stream/);
    const streamEvents = (await events(stream)).filter(({ name }) => name !== 'ping');
    for (const { name, data } of streamEvents) expect(data.type).toBe(name);
    const order = streamEvents.map(({ name }) => name).filter((name, at, all) => name !== all[at - 1]);
    expect(order).toEqual([
      'message_start',
      'content_block_start',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
    const start = streamEvents[0]?.data.message as Record<string, unknown>;
    expect(start).toMatchObject({
      type: 'message',
      role: 'assistant',
      model,
      content: [],
      stop_reason: null,
    });
    expect(start.id).toMatch(/^msg_[0-9A-Z]{26}$/);
  });

  it('costs the same in the last event, in the header of a complete response, and in the record', async () => {
    const body = { model, messages: userMessage('Repeat exactly: counted') };
    const stream = await post({ ...body, stream: true });
    const end = (await events(stream)).find(({ name }) => name === 'message_delta');
    const usage = end?.data.usage as { cost: number; input_tokens: number; output_tokens: number };
    const response = await post(body);
    const responseBody = (await response.json()) as {
      usage: { input_tokens: number; output_tokens: number };
    };
    expect(usage).toMatchObject(responseBody.usage);
    expect(Number(response.headers.get('x-cost-usd'))).toBe(usage.cost);
    expect(Number(response.headers.get('x-balance-usd'))).toBeGreaterThan(0);
    const record = await service.fetch(`/v1/usage/${stream.headers.get('x-request-id')}`, { key });
    expect(await record.json()).toMatchObject({
      cost: usage.cost,
      input_units: usage.input_tokens,
      output_units: usage.output_tokens,
      estimated: false,
    });
  });

  it('takes back several tool results in one turn: text, an image, an error', async () => {
    const use = (id: string) => ({ type: 'tool_use' as const, id, name: 'look', input: { big: id } });
    const { content } = await client.messages.create({
      model,
      max_tokens: 200,
      tools: [{ name: 'look', input_schema: { type: 'object', properties: { big: { type: 'string' } } } }],
      messages: [
        ...userMessage('Look three times.'),
        { role: 'assistant', content: [{ type: 'text', text: 'Looking.' }, use('a'), use('b'), use('c')] },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'a', content: 'a red house' },
            {
              type: 'tool_result',
              tool_use_id: 'b',
              content: [
                { type: 'text', text: 'a picture' },
                { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } },
              ],
            },
            { type: 'tool_result', tool_use_id: 'c', is_error: true, content: 'fog' },
            { type: 'text', text: 'What did you see?' },
          ],
        },
      ],
    });
    expect(content[0]).toMatchObject({ type: 'text' });
    const requestBody = JSON.stringify(await lastUpstreamBody());
    for (const word of ['a red house', 'a picture', 'fog', 'What did you see?', PNG])
      expect(requestBody).toContain(word);
  });

  it('ends a stream whose route dies with one error event, and never with message_stop', async () => {
    const upstream = await lastUpstreamBody();
    await fault({ cut_after_chunks: 3 }, typeof upstream.model === 'string' ? { model: upstream.model } : {});
    const streamEvents = await events(
      await post({ model, stream: true, messages: userMessage('write 80 words') }),
    );
    expect(streamEvents.filter(({ name }) => name === 'error')).toHaveLength(1);
    expect(streamEvents.at(-1)?.data).toMatchObject({
      type: 'error',
      error: { type: 'service_unavailable' },
    });
    expect(streamEvents.some(({ name }) => name === 'message_stop')).toBe(false);
  });
});

describe('the features of the Messages protocol alone', () => {
  it('include thinking and cache_control on a route of that protocol, streamed or not', async () => {
    const request = {
      model: PROTOCOLS.anthropic,
      max_tokens: 3000,
      thinking: { type: 'enabled' as const, budget_tokens: 1024 },
      system: [{ type: 'text' as const, text: 'Be brief.', cache_control: { type: 'ephemeral' as const } }],
      messages: userMessage('Repeat exactly: thought'),
    };
    const { content, usage } = await client.messages.create(request);
    expect(content.map(({ type }) => type)).toEqual(['thinking', 'text']);
    expect(content[0]).toMatchObject({ signature: expect.any(String) });
    expect(usage.cache_creation_input_tokens).toBeGreaterThan(0);
    const streamed = await client.messages.stream(request).finalMessage();
    // Each is sealed anew.
    const unsealed = (blocks: readonly object[]) =>
      blocks.map((block) => ({ ...block, signature: undefined }));
    expect(unsealed(streamed.content)).toEqual(unsealed(content));
    const back = [
      ...request.messages,
      { role: 'assistant' as const, content },
      ...userMessage('Repeat exactly: again'),
    ];
    const next = await client.messages.create({ ...request, messages: back });
    expect(next.content.at(-1)).toMatchObject({ type: 'text', text: 'again' });
  });

  it('the service removes cache_control on other routes, and the request succeeds', async () => {
    const { content } = await client.messages.create({
      model: PROTOCOLS.openai,
      max_tokens: 100,
      system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
      messages: userMessage('Repeat exactly: plain'),
    });
    expect(content).toEqual([{ type: 'text', text: 'plain' }]);
    expect(JSON.stringify(await lastUpstreamBody())).not.toContain('cache_control');
  });

  it.each([
    [
      'a document',
      PROTOCOLS.openai,
      { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0xLjQ=' } },
    ],
    [
      'an image by URL',
      PROTOCOLS.bedrock,
      { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
    ],
  ])('the service rejects %s if no route supports it', async (_what, model, block) => {
    const response = await post({ model, messages: [{ role: 'user', content: [block] }] });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ type: 'error', error: { type: 'invalid_request_error' } });
  });

  it('include the matched stop sequence if the route reports it', async () => {
    for (const model of [PROTOCOLS.anthropic, PROTOCOLS.bedrock]) {
      const { stop_reason, stop_sequence } = await client.messages.create({
        model,
        max_tokens: 50,
        stop_sequences: [' two', 'never'],
        messages: userMessage('Repeat exactly: one two three'),
      });
      expect(stop_reason).toBe('stop_sequence');
      if (model === PROTOCOLS.anthropic) expect(stop_sequence).toBe(' two');
    }
  });
});

describe('the rest of the surface', () => {
  it('preserves every digit of a number in a tool call’s input', async () => {
    const messages = [
      ...userMessage('Hi'),
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input: 'INPUT' }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'ok' }] },
    ];
    const input = '{"id":12345678901234567890}';
    const response = await service.fetch('/v1/messages', {
      method: 'POST',
      key,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: PROTOCOLS.openai, messages }).replace('"INPUT"', input),
    });
    expect(response.status).toBe(200);
    // This route takes arguments as text, in which the upstream's log keeps what it got.
    expect(JSON.stringify(await lastUpstreamBody())).toContain(JSON.stringify(input).slice(1, -1));
  });

  it('counts tokens without a call, without cost', async () => {
    const body = {
      model: 'claude-sonnet-4-5',
      system: 'Be brief.',
      messages: userMessage('How many tokens is this?'),
    };
    const before = await service.fetch('/credits/me', { key });
    const { input_tokens } = await client.messages.countTokens(body);
    expect(input_tokens).toBeGreaterThan(10);
    expect(input_tokens).toBeLessThan(60);
    expect(before.status).toBe(404);
    expect((await post({ messages: [] }, {}, '/v1/messages/count_tokens')).status).toBe(400);
  });

  it('replays a repeated call and does not bill it again', async () => {
    const headers = { 'idempotency-key': 'messages-once' };
    const body = { model: PROTOCOLS.anthropic, messages: userMessage('Repeat exactly: once') };
    const first = await post(body, headers);
    const again = await post(body, headers);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(await again.text()).toBe(await first.text());
  });

  it('takes the routing controls: further models, and routes by protocol', async () => {
    const further = await post({
      model: 'sim/chat-down',
      models: [PROTOCOLS.anthropic],
      messages: userMessage('Hi'),
    });
    expect(further.headers.get('x-route')).toBe('sim-anthropic');
    const only = { provider: { only: ['anthropic'] } };
    const chosen = await post({ model: 'claude-sonnet-4-5', ...only, messages: userMessage('Hi') });
    expect(chosen.headers.get('x-route')).toBe('sim-chat-large-b');
  });

  it('returns n choices only if a route supports them', async () => {
    const send = (model: string) => service.chat({ model, n: 2, messages: userMessage('Hi') }, { key });
    expect((await send(PROTOCOLS.openai)).status).toBe(200);
    for (const model of [PROTOCOLS.anthropic, PROTOCOLS.bedrock]) {
      const response = await send(model);
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ error: { code: 'unsupported_by_model' } });
    }
  });

  it('returns an object in JSON mode on every route', async () => {
    for (const model of Object.values(PROTOCOLS)) {
      for (const stream of [false, true]) {
        const request = {
          model,
          messages: userMessage('Describe a person as JSON.'),
          response_format: { type: 'json_object' as const },
        };
        const { choices } = stream
          ? await service
              .openai(key)
              .chat.completions.stream({ ...request, stream: true })
              .finalChatCompletion()
          : await service.openai(key).chat.completions.create(request);
        expect(JSON.parse(choices[0]?.message.content ?? '')).toEqual(expect.any(Object));
        expect(choices[0]?.finish_reason).toBe('stop');
      }
    }
  });

  it('leaves an exact ledger', async () => {
    expect(await service.admin('audit')).toMatchObject({ exact: true });
  });
});
