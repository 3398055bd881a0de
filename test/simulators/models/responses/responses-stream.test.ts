import { describe, expect, it } from '@jest/globals';
import { sseEvents } from '../received.ts';
import { runningUpstream, SIGNED_HEADERS } from '../running-upstream.ts';
import { continued, PATCH, REASONING, SCRIPT, TOOLS } from './conversing.ts';

const upstream = runningUpstream();
const bearer = { authorization: 'Bearer test' };

const eventsOf = async (body: object) => {
  const response = await upstream.postTo('/v1/responses', { ...body, stream: true }, { headers: bearer });
  expect(response.headers.get('content-type')).toContain('text/event-stream');
  return sseEvents(await response.text());
};

const user = (content: string) => ({ role: 'user' as const, content });

describe('a streamed response', () => {
  it('opens, announces, fills and closes each item in turn, and numbers its events', async () => {
    const events = await eventsOf({ model: 'm', store: false, input: 'Repeat exactly: one two' });
    expect(events.map(({ name }) => name.replace(/^response\./u, ''))).toEqual([
      ...['created', 'in_progress', 'output_item.added', 'content_part.added'],
      ...['output_text.delta', 'output_text.delta', 'output_text.done', 'content_part.done'],
      ...['output_item.done', 'completed'],
    ]);
    expect(events.map(({ data }) => data.sequence_number)).toEqual(events.map((_, index) => index));
    for (const { name, data } of events) expect(data.type).toBe(name);
    const { item } = (events[2]?.data ?? {}) as { item: { id: string } };
    for (const { data } of events.slice(3, 8))
      expect(data).toMatchObject({ item_id: item.id, output_index: 0, content_index: 0 });
    expect(events.at(-1)?.data.response).toMatchObject({ status: 'completed', output: [{ id: item.id }] });
  });

  it('is read by the official client, with reasoning, parallel calls and the input of a custom tool', async () => {
    const stream = upstream.openai().responses.stream({ ...REASONING, tools: TOOLS, input: SCRIPT });
    const deltas: string[] = [];
    stream.on('response.custom_tool_call_input.delta', ({ delta }) => deltas.push(delta));
    const { output, usage } = await stream.finalResponse();
    expect(output).toMatchObject([
      { type: 'reasoning', summary: [{ text: 'Let me think.' }, {}], encrypted_content: expect.any(String) },
      { type: 'function_call', name: 'lookup', arguments: '{"place":"Oslo"}' },
      { type: 'custom_tool_call', name: 'apply_patch', input: PATCH },
    ]);
    expect(deltas.join('')).toBe(PATCH);
    expect(usage?.output_tokens_details.reasoning_tokens).toBeGreaterThan(0);
  });

  it('pads some of its deltas, unless it is asked not to', async () => {
    const body = { model: 'm', store: false, input: 'write 50 words' };
    const padded = async (options: object) =>
      (await eventsOf({ ...body, ...options })).filter(({ data }) => 'obfuscation' in data).length;
    expect(await padded({})).toBeGreaterThan(3);
    expect(await padded({ stream_options: { include_obfuscation: false } })).toBe(0);
  });

  it('ends incomplete where the limit ends it', async () => {
    const events = await eventsOf({ model: 'm', input: 'write 90 words', max_output_tokens: 16 });
    expect(events.at(-1)).toMatchObject({
      name: 'response.incomplete',
      data: { response: { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } } },
    });
  });

  it('fails in its own events', async () => {
    await upstream.fault({ error_event_after_chunks: 2 });
    const [last] = (await eventsOf({ model: 'm', input: 'write 90 words' })).slice(-1);
    expect(last).toMatchObject({
      name: 'response.failed',
      data: { response: { error: { code: 'server_error' } } },
    });
  });

  it('refuses in parts of their own', async () => {
    await upstream.fault({ refusal: true });
    const events = await eventsOf({ model: 'm', store: false, input: 'x' });
    expect(events.map(({ name }) => name)).toContain('response.refusal.done');
  });
});

describe('a response', () => {
  it('goes on from its own items, step by step, until the script is done', async () => {
    const client = upstream.openai();
    const ask = { ...REASONING, tools: TOOLS };
    const first = [user(SCRIPT)];
    const one = await client.responses.create({ ...ask, input: first });
    const second = continued(first, one.output);
    const two = await client.responses.create({ ...ask, input: second });
    expect(two.output.at(-1)).toMatchObject({ type: 'function_call', arguments: '{"place":"Bergen"}' });
    const three = await client.responses.create({ ...ask, input: continued(second, two.output) });
    expect(three.output_text).toContain('Done.');
  });

  it('is kept unless it is asked not to be, and then goes on by its id', async () => {
    const keptNow = async () => (await (await upstream.control('GET', '/kept-responses')).json()) as object;
    const before = await keptNow();
    const client = upstream.openai();
    await client.responses.create({ model: 'm', store: false, input: 'x' });
    expect(await keptNow()).toEqual(before);
    const { id, output } = await client.responses.create({ model: 'm', input: 'Say exactly: kept' });
    expect(await keptNow()).not.toEqual(before);
    const next = await client.responses.create({ model: 'm', previous_response_id: id, input: 'y' });
    expect(next.usage?.input_tokens).toBeGreaterThan(15);
    const [item] = output;
    const reference = { type: 'item_reference' as const, id: item?.id ?? '' };
    await client.responses.create({ model: 'm', store: false, input: [reference, user('y')] });
  });

  it('is given to signed requests alone at the address of Bedrock', async () => {
    const path = '/openai/v1/responses';
    const body = { model: 'm', store: false, input: 'Repeat exactly: hi' };
    expect((await upstream.postTo(path, body, { headers: bearer })).status).toBe(403);
    const signed = await upstream.postTo(path, body, { headers: SIGNED_HEADERS });
    expect(await signed.json()).toMatchObject({ output: [{ content: [{ text: 'hi' }] }] });
  });
});
