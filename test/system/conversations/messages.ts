import { describe, expect, it } from '@jest/globals';
import { Payer } from '../payer.ts';
import { service } from './service.ts';

const payer = Payer.ofTests(service, '20');

const PROTOCOLS = { openai: 'sim/chat', anthropic: 'sim/chat-anthropic', bedrock: 'sim/chat-bedrock' };
const each = Object.entries(PROTOCOLS).map(([protocol, model]) => ({ protocol, model }));

const post = (body: object) => payer.post('/v1/messages', body);
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
    expect(await payer.record(stream)).toMatchObject({
      cost: usage.cost,
      input_units: usage.input_tokens,
      output_units: usage.output_tokens,
      estimated: false,
    });
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
    const { content, usage } = await payer.anthropic.messages.create(request);
    expect(content.map(({ type }) => type)).toEqual(['thinking', 'text']);
    expect(content[0]).toMatchObject({ signature: expect.any(String) });
    expect(usage.cache_creation_input_tokens).toBeGreaterThan(0);
    const streamed = await payer.anthropic.messages.stream(request).finalMessage();
    // Each is sealed anew.
    const unsealed = (blocks: readonly object[]) =>
      blocks.map((block) => ({ ...block, signature: undefined }));
    expect(unsealed(streamed.content)).toEqual(unsealed(content));
    const back = [
      ...request.messages,
      { role: 'assistant' as const, content },
      ...userMessage('Repeat exactly: again'),
    ];
    const next = await payer.anthropic.messages.create({ ...request, messages: back });
    expect(next.content.at(-1)).toMatchObject({ type: 'text', text: 'again' });
  });
});

describe('the rest of the surface', () => {
  it('counts tokens without a call, without cost', async () => {
    const body = {
      model: 'claude-sonnet-4-5',
      system: 'Be brief.',
      messages: userMessage('How many tokens is this?'),
    };
    const before = await payer.wallet();
    const { input_tokens } = await payer.anthropic.messages.countTokens(body);
    expect(input_tokens).toBeGreaterThan(10);
    expect(input_tokens).toBeLessThan(60);
    expect(await payer.wallet()).toEqual(before);
    expect((await payer.post('/v1/messages/count_tokens', { messages: [] })).status).toBe(400);
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

  it('leaves an exact ledger', async () => {
    expect(await service.admin('audit')).toMatchObject({ exact: true });
  });
});
