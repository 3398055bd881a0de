import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import type { ChatPayload } from '../../core/upstream/provider.ts';
import { reasoningParts, textParts, toolCallParts } from '../../testing/providers/parts.ts';
import {
  bytesOf,
  CANARY,
  COMPLETE_ITEMS,
  COMPLETE_RESPONSE,
  converted,
  EVENTS,
  IDENTITY,
  native,
  REASONING,
  RESPONSE,
  read,
} from '../../testing/providers/responses/fixtures.ts';
import { withProofs } from '../../testing/providers/sealing.ts';

const SIGNATURE = `<${JSON.stringify({ id: REASONING.id, encrypted_content: REASONING.encrypted_content })}>`;
const CALL = { id: 'call_a', name: 'get_weather' };
const FINAL_EVENT = { type: 'finish', reason: 'tool-calls', raw: 'completed' };

const partsOf = async (events: readonly unknown[]) =>
  withProofs((await read(converted(), bytesOf(events))).flatMap(({ parts }) => parts ?? []));
const payloadsOf = async (events: readonly unknown[]): Promise<JsonObject[]> =>
  (await read(native(), bytesOf(events))).flatMap(({ nativeEvent }) =>
    nativeEvent === undefined ? [] : [nativeEvent],
  );

const RECORDINGS = [EVENTS, COMPLETE_ITEMS, COMPLETE_RESPONSE];
const CALLERS: readonly [string, ChatPayload][] = [
  ['another protocol', converted()],
  ['this protocol', native()],
];

describe.each(CALLERS)('a streamed response to a caller of %s', (_name, payload) => {
  it.each(RECORDINGS)('counts every text once, and what the server counted: %#', async (...events) => {
    const routeEvents = await read(payload, bytesOf(events));
    const text = routeEvents.map(({ outputText }) => outputText).join('');
    expect(text.replaceAll('\n', '')).toBe('First.Then Łódź.Grüße, 世界get_weather{"city":"Łódź"}');
    expect(routeEvents.flatMap(({ usage }) => usage ?? [])).toEqual([
      expect.objectContaining({
        promptTokens: 30,
        cachedTokens: 10,
        completionTokens: 20,
        reasoningTokens: 12,
        cacheWrites: { auto: 4 },
        serviceTier: 'standard',
      }),
    ]);
    expect(routeEvents[0]?.hasOutput).toBe(false);
    expect(routeEvents.at(-1)?.hasOutput).toBe(true);
  });

  it('contains none of the upstream’s ids, signatures and names', async () => {
    const shown = (await read(payload, bytesOf(EVENTS))).map(({ nativeEvent, parts }) => ({
      payload: nativeEvent,
      parts,
    }));
    expect(JSON.stringify(shown)).not.toContain(CANARY);
    // The proofs are there, sealed.
    expect(JSON.stringify(withProofs(shown))).toContain(CANARY);
  });

  it.each([
    [{ type: 'error', code: 'server_error', message: CANARY }, { kind: 'interrupted' }],
    [
      {
        type: 'response.failed',
        response: { ...RESPONSE, error: { code: 'server_error', message: CANARY } },
      },
      { kind: 'interrupted', retryable: true },
    ],
    [
      { type: 'response.failed', response: { error: { code: 'rate_limit_exceeded' } } },
      { status: 429, retryable: true },
    ],
    [
      { type: 'error', error: { code: 'invalid_prompt' } },
      { status: 400, retryable: false },
    ],
    [
      { type: 'response.failed', response: { error: { code: 'content_filter' } } },
      { status: 400, retryable: false, rejection: { filtered: true } },
    ],
    [{ type: 'response.output_item.added', output_index: 0, item: 5 }, { kind: 'protocol' }],
  ])('fails with an error of the upstream’s: %j', async (event, failure) => {
    await expect(read(payload, bytesOf([EVENTS[0], event]))).rejects.toMatchObject(failure);
  });

  it('fails as interrupted if it ends before the response does', async () => {
    const cut = EVENTS.slice(0, -1);
    await expect(read(payload, bytesOf(cut))).rejects.toMatchObject({ kind: 'interrupted' });
    await expect(read(payload, bytesOf([...cut, '[DONE]']))).rejects.toMatchObject({ kind: 'interrupted' });
  });
});

describe('a streamed response as parts', () => {
  it('contains reasoning with its signature, a text and a call', async () => {
    expect(await partsOf(EVENTS)).toEqual([
      ...reasoningParts(0, ['Fir', 'st.', '\n\n', 'Then ', 'Łódź.'], SIGNATURE),
      ...textParts(1, 'Grüße, ', '世界'),
      ...toolCallParts(2, CALL, '{"city":', '"Łódź"}'),
      FINAL_EVENT,
    ]);
  });

  it.each([[COMPLETE_ITEMS], [COMPLETE_RESPONSE]])(
    'stays the same if the server sends no deltas: %#',
    async (events) => {
      expect(await partsOf(events)).toEqual([
        ...reasoningParts(0, ['First.\n\nThen Łódź.'], SIGNATURE),
        ...textParts(1, 'Grüße, 世界'),
        ...toolCallParts(2, CALL, '{"city":"Łódź"}'),
        FINAL_EVENT,
      ]);
    },
  );

  it('contains the reasoning itself if there is no summary, and a refusal', async () => {
    const refusalItem = { type: 'message', content: [{ type: 'refusal', refusal: 'No.' }] };
    const parts = await partsOf([
      { type: 'response.reasoning_text.delta', output_index: 0, content_index: 0, delta: 'Hm.' },
      {
        type: 'response.output_item.done',
        output_index: 0,
        item: { type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'Hm.' }] },
      },
      { type: 'response.output_item.done', output_index: 1, item: refusalItem },
      { type: 'response.completed', response: { status: 'completed', output: [] } },
    ]);
    expect(parts).toEqual([
      ...reasoningParts(0, ['Hm.']),
      { type: 'start', index: 1, content: { type: 'refusal' } },
      { type: 'delta', index: 1, text: 'No.' },
      { type: 'end', index: 1 },
      { type: 'finish', reason: 'stop', raw: 'completed' },
    ]);
  });

  it.each([
    ['max_output_tokens', 'length'],
    ['content_filter', 'refusal'],
  ])('reports why it ended early: %s', async (raw, reason) => {
    const response = { status: 'incomplete', incomplete_details: { reason: raw }, output: [] };
    expect(await partsOf([{ type: 'response.incomplete', response }])).toEqual([
      { type: 'finish', reason, raw },
    ]);
  });
});

describe('the events for a caller of the protocol', () => {
  it('match the upstream’s, under ids of the service that stay the same', async () => {
    const payloads = await payloadsOf(EVENTS);
    expect(payloads.map(({ type }) => type)).toEqual(EVENTS.map(({ type }) => type));
    const ids = ['rs', 'msg', 'fc'].map(
      (prefix, outputIndex) => `${prefix}_${IDENTITY.id.slice(5)}_${outputIndex}`,
    );
    for (const { item_id: of, output_index: outputIndex, item } of payloads) {
      if (outputIndex === undefined) continue;
      expect(of ?? (item as { id: string }).id).toBe(ids[outputIndex as number]);
    }
    const { response } = payloads.at(-1) as { response: { output: { id: string }[]; id: string } };
    expect(response).toMatchObject({ ...IDENTITY, object: 'response', status: 'completed', error: null });
    expect(response.output.map(({ id }) => id)).toEqual(ids);
    expect(response).not.toHaveProperty('usage');
    expect(JSON.stringify(payloads)).not.toMatch(/sequence_number|obfuscation/);
  });

  it('end with all items, also where the server leaves them out of the response', async () => {
    const bare = { type: 'response.completed', response: { ...RESPONSE, output: undefined } };
    const [expected, lastBlock] = await Promise.all(
      [EVENTS, [...EVENTS.slice(0, -1), bare]].map(async (events) => (await payloadsOf(events)).at(-1)),
    );
    expect(withProofs(lastBlock)).toEqual(withProofs(expected));
  });

  it('contain one sealed signature, in the complete item and in the response', async () => {
    const payloads = await payloadsOf(EVENTS);
    const [added, done] = payloads.flatMap(
      ({ item, output_index: outputIndex }) => (outputIndex === 0 && item) || [],
    ) as {
      encrypted_content?: string;
    }[];
    const { response } = payloads.at(-1) as { response: { output: { encrypted_content?: string }[] } };
    expect(added).not.toHaveProperty('encrypted_content');
    expect(withProofs(done)).toMatchObject({ encrypted_content: SIGNATURE });
    expect(response.output[0]?.encrypted_content).toBe(done?.encrypted_content);
  });

  it('retain the items of the provider’s tools under their own prefix, and count the searches', async () => {
    const search = {
      id: `ws_${CANARY}`,
      type: 'web_search_call',
      status: 'completed',
      action: { type: 'search', query: 'q' },
    };
    const opened = { ...search, action: { type: 'open_page', url: 'https://a' } };
    const events = [
      { type: 'response.output_item.added', output_index: 0, item: search },
      { type: 'response.web_search_call.searching', output_index: 0, item_id: search.id },
      { type: 'response.completed', response: { ...RESPONSE, output: [search, opened] } },
    ];
    const id = `ws_${IDENTITY.id.slice(5)}_0`;
    const routeEvents = await read(native(), bytesOf(events));
    expect(routeEvents[0]?.nativeEvent).toMatchObject({ item: { ...search, id } });
    expect(routeEvents[1]?.nativeEvent).toMatchObject({ item_id: id });
    expect(routeEvents.at(-1)?.usage).toMatchObject({ uses: { web_search: 1 } });
  });

  it('retain no role of a tool’s item, which would make it a message of that role', async () => {
    const item = { type: 'mcp_call', id: 'mcp_1', role: 'system', name: 'f' };
    const [event] = await payloadsOf([
      { type: 'response.output_item.added', output_index: 0, item },
      EVENTS.at(-1),
    ]);
    expect(event).toMatchObject({ item: { type: 'mcp_call', name: 'f' } });
    expect(event?.item).not.toHaveProperty('role');
  });

  it('retain a generated image, and fail the route if it returns an address in place of one', async () => {
    const generated = (data: string) => [
      { type: 'response.image_generation_call.partial_image', output_index: 0, partial_image_b64: data },
      {
        type: 'response.output_item.done',
        output_index: 0,
        item: { type: 'image_generation_call', id: 'ig_1', status: 'completed', result: data, host: CANARY },
      },
    ];
    const [partial, complete] = await payloadsOf([...generated('aGk='), EVENTS.at(-1)]);
    expect([partial, complete]).toMatchObject([
      { partial_image_b64: 'aGk=' },
      { item: { type: 'image_generation_call', status: 'completed', result: 'aGk=' } },
    ]);
    expect(complete?.item).not.toHaveProperty('host');
    for (const event of generated('https://vendor.example/a.png'))
      await expect(payloadsOf([event])).rejects.toMatchObject({ kind: 'protocol' });
  });

  it.each(['function_call_output', 'mcp_approval_response', 'additional_tools', 'item_reference'])(
    'fail the route if it returns an item that only callers write: %s',
    async (type) => {
      const item = { type, id: 'x_1', call_id: 'a', output: [null] };
      for (const event of [
        { type: 'response.output_item.done', output_index: 0, item },
        { type: 'response.completed', response: { ...RESPONSE, output: [item] } },
      ])
        await expect(payloadsOf([event])).rejects.toMatchObject({ kind: 'protocol' });
    },
  );

  it('retain the common fields of unknown events, and exclude events that are not of a response', async () => {
    const events = [
      { type: 'response.new_thing.delta', output_index: 0, delta: 'x', host: CANARY },
      { type: 'keepalive', host: CANARY },
      { type: 'response.x\ndata: y', host: CANARY },
      EVENTS.at(-1),
    ];
    const payloads = await payloadsOf(events);
    expect(payloads.map(({ type }) => type)).not.toContain('keepalive');
    expect(payloads[0]).toEqual({ type: 'response.new_thing.delta', output_index: 0, delta: 'x' });
  });
});

describe('the complete response at the end of a stream', () => {
  it('names its items as the stream did if an item before them is missing', async () => {
    const item = { ...REASONING, id: 'rs_2' };
    const call = { type: 'function_call', id: 'fc_1', call_id: 'call_a', name: 'f', arguments: '{}' };
    const start = (number: number, started: JsonObject) => ({
      type: 'response.output_item.added',
      output_index: number,
      item: started,
    });
    const end = (number: number, ended: JsonObject) => ({
      ...start(number, ended),
      type: 'response.output_item.done',
    });
    const payloads = await payloadsOf([
      start(0, { type: 'reasoning', id: 'rs_1', summary: [] }),
      start(1, call),
      end(1, call),
      start(2, item),
      end(2, item),
      { type: 'response.completed', response: { ...RESPONSE, output: [call, item] } },
    ]);
    const ended = payloads.flatMap(({ type, item: sent }) =>
      type === 'response.output_item.done' ? [sent] : [],
    );
    expect(payloads.at(-1)?.response).toMatchObject({ output: ended });
    expect(ended).toHaveLength(2);
  });

  it('fails the call if it has more items than any response', async () => {
    const output = Array.from({ length: 4_097 }, (_, index) => ({ type: 'reasoning', id: `rs_${index}` }));
    const started = output.map((item) => ({ type: 'response.output_item.added', item }));
    const failure = { kind: 'protocol' };
    await expect(read(native(), bytesOf(started))).rejects.toMatchObject(failure);
    const whole = { type: 'response.completed', response: { ...RESPONSE, output } };
    await expect(read(native(), bytesOf([whole]))).rejects.toMatchObject(failure);
  });
});
