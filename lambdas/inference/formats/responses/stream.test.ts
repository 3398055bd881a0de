import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../../tools/test-kit/search.ts';
import { rounds } from '../../../../tools/test-kit/thorough.ts';
import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import type { AssistantPart, Finish } from '../../core/upstream/conversation.ts';
import {
  accumulated,
  completeBody,
  createWriter,
  dataOf,
  type ResponsesDocument,
  readSseEvents,
  streamed,
} from '../../testing/completions/responses/answering.ts';
import { PLAIN_SEALED_TOKENS } from '../../testing/upstream/plain-sealed-tokens.ts';
import type { Step } from '../../testing/upstream/stream-script.ts';
import { CustomInput } from './output/custom-input.ts';
import { openItems } from './sealed-items.ts';

const STOP: Finish = { reason: 'stop', raw: 'end_turn' };
const CALLS: Finish = { reason: 'tool-calls', raw: 'tool_use' };
const STATELESS = { store: false } as const;
const typesOf = (sseEvents: readonly string[]) =>
  dataOf(sseEvents).map(({ type }) => String(type).replace('response.', ''));

describe('the events of a response', () => {
  it('come in OpenAI’s order, under one id, numbered from 0, and end with usage and cost', async () => {
    const sseEvents = await streamed(
      [
        { thinks: 'Hm.' },
        { signs: 'sealed' },
        { says: 'He' },
        { says: 'llo' },
        { calls: 0, id: 'call_1', name: 'f' },
        { adds: '{"a":1}', to: 0 },
        { finishes: CALLS },
      ],
      STATELESS,
    );
    const events = dataOf(sseEvents);
    expect(typesOf(sseEvents)).toEqual([
      'created',
      'in_progress',
      'output_item.added',
      'reasoning_summary_part.added',
      'reasoning_summary_text.delta',
      'reasoning_summary_text.done',
      'reasoning_summary_part.done',
      'output_item.done',
      'output_item.added',
      'content_part.added',
      'output_text.delta',
      'output_text.delta',
      'output_text.done',
      'content_part.done',
      'output_item.done',
      'output_item.added',
      'function_call_arguments.delta',
      'function_call_arguments.done',
      'output_item.done',
      'completed',
    ]);
    expect(events.map(({ sequence_number: number }) => number)).toEqual(events.map((_, index) => index));
    expect(sseEvents.at(-1)).toBe('data: [DONE]\n\n');
    const ids = events.flatMap(({ response }) => (response as { id?: string } | undefined)?.id ?? []);
    expect(new Set(ids)).toEqual(new Set(['resp_01J']));
    expect(events.at(-1)).toMatchObject({
      response: {
        status: 'completed',
        model: 'a/served',
        created_at: 1_700_000_000,
        completed_at: 1_700_000_002,
        output: [
          { type: 'reasoning', id: 'rs_01J_0', summary: [{ type: 'summary_text', text: 'Hm.' }] },
          { type: 'message', id: 'msg_01J_1', content: [{ type: 'output_text', text: 'Hello' }] },
          { type: 'function_call', id: 'fc_01J_2', call_id: 'call_1', name: 'f', arguments: '{"a":1}' },
        ],
        usage: {
          input_tokens: 20,
          input_tokens_details: { cached_tokens: 5 },
          output_tokens: 9,
          output_tokens_details: { reasoning_tokens: 4 },
          total_tokens: 29,
          cost: 0.001234567,
        },
      },
    });
  });

  it('write the arguments of a call that has none in one delta, which the end of the call repeats', async () => {
    const events = dataOf(await streamed([{ calls: 0 }, { calls: 1 }, { ends: 1 }, { finishes: CALLS }]));
    const argumentsIn = (type: string, field: string) =>
      events.filter((event) => event.type === type).map((event) => [event.output_index, event[field]]);
    const empty = [
      [1, '{}'],
      [0, '{}'],
    ];
    expect(argumentsIn('response.function_call_arguments.delta', 'delta')).toEqual(empty);
    expect(argumentsIn('response.function_call_arguments.done', 'arguments')).toEqual(empty);
  });

  it('name the item and the place that each belongs to', async () => {
    const events = dataOf(
      await streamed([{ says: 'a' }, 'ends text', { refuses: 'no' }, { finishes: STOP }], STATELESS),
    );
    expect(events.filter(({ type }) => /delta/.test(String(type)))).toMatchObject([
      { item_id: 'msg_01J_0', output_index: 0, content_index: 0, delta: 'a' },
      { item_id: 'msg_01J_0', output_index: 0, content_index: 1, delta: 'no' },
    ]);
    expect(events.filter(({ type }) => type === 'response.output_item.done')).toMatchObject([
      { item: { content: [{ type: 'output_text' }, { type: 'refusal', refusal: 'no' }] } },
    ]);
  });

  it.each<[Finish, string, unknown]>([
    [{ reason: 'length', raw: 'x' }, 'incomplete', { reason: 'max_output_tokens' }],
    [{ reason: 'context', raw: 'x' }, 'incomplete', { reason: 'max_output_tokens' }],
    [{ reason: 'refusal', raw: 'x' }, 'incomplete', { reason: 'content_filter' }],
    [{ reason: 'stop-sequence', raw: 'x' }, 'completed', null],
    [{ reason: 'pause', raw: 'x' }, 'completed', null],
  ])('end with the same status as the output: %j', async (finish, status, details) => {
    const [last] = dataOf(await streamed([{ says: 'a' }, { finishes: finish }], STATELESS)).slice(-1);
    expect(last).toMatchObject({
      type: `response.${status}`,
      response: { status, incomplete_details: details },
    });
    const completion = { parts: [{ type: 'text', text: 'a' } as const], finish };
    expect(completeBody(completion, STATELESS)).toMatchObject({ status, incomplete_details: details });
  });

  it('end a model’s refusal as a complete response if the stream contains the refusal', async () => {
    const refusal: Finish = { reason: 'refusal', raw: 'x' };
    const [last] = dataOf(await streamed([{ refuses: 'no' }, { finishes: refusal }])).slice(-1);
    expect(last).toMatchObject({ response: { status: 'completed', incomplete_details: null } });
  });

  it('end in one failure with the same id, and retain what was complete by then', async () => {
    const steps: Step[] = [{ thinks: 'Hm.' }, { signs: 's' }, { says: 'a' }];
    const sseEvents = await streamed(steps, STATELESS, { failure: new Error('broken') });
    const events = dataOf(sseEvents);
    expect(events.filter(({ type }) => type === 'response.failed')).toHaveLength(1);
    expect(events.at(-1)).toMatchObject({
      sequence_number: events.length - 1,
      response: {
        id: 'resp_01J',
        status: 'failed',
        error: { code: 'server_error', message: 'Error: broken' },
        output: [{ type: 'reasoning' }],
      },
    });
    expect((await accumulated(sseEvents)).status).toBe('failed');
  });

  it('form a complete stream even if the route fails before it starts', async () => {
    const sseEvents = await streamed([], {}, { failure: new Error('broken') });
    expect(typesOf(sseEvents)).toEqual(['created', 'failed']);
    expect((await accumulated(sseEvents)).error).toMatchObject({ code: 'server_error' });
  });

  it('repeat the caller’s request fields and seal the reasoning if the route is native', async () => {
    const call = createWriter({ store: false, instructions: 'Be brief.' });
    const item = { type: 'reasoning', id: 'rs_01J_0', summary: [], encrypted_content: 'signature' };
    const response = { id: 'resp_01J', model: 'a/served', instructions: 'theirs', output: [] };
    const sseEvents = await readSseEvents(
      [
        { type: 'response.created', response },
        { type: 'response.output_item.added', output_index: 0, item },
        { type: 'response.output_item.done', output_index: 0, item },
        {
          type: 'response.incomplete',
          response: { ...response, status: 'incomplete', incomplete_details: { reason: 'content_filter' } },
        },
      ],
      call,
    );
    const [created, , added, done, completedEvent] = dataOf(sseEvents);
    expect(created).toMatchObject({ response: { instructions: 'Be brief.', model: 'a/served' } });
    expect(added?.item).not.toHaveProperty('encrypted_content');
    expect(completedEvent).toMatchObject({
      response: {
        status: 'incomplete',
        incomplete_details: { reason: 'content_filter' },
        output: [done?.item],
      },
    });
    const sealed = String(Object(done?.item).encrypted_content);
    expect(openItems(PLAIN_SEALED_TOKENS, sealed, 'x')).toEqual([item]);
  });

  it('never include an event that a route forges', async () => {
    const forged = { type: 'response.x\ndata: {}\n\nevent: y' };
    expect(typesOf(await readSseEvents([forged], createWriter()))).toEqual([
      'created',
      'in_progress',
      'failed',
    ]);
  });
});

describe('a response for a caller that expects stored items', () => {
  const steps: Step[] = [{ thinks: 'Hm.' }, { signs: 'sealed' }, { says: 'Hello' }, { finishes: STOP }];

  it('ends in an item without visible content, whose id has all of it', async () => {
    const sseEvents = await streamed(steps);
    const { output } = await accumulated(sseEvents);
    const end = output.at(-1);
    expect(end).toMatchObject({ type: 'reasoning', summary: [] });
    expect(openItems(PLAIN_SEALED_TOKENS, String(end?.id), 'x')).toMatchObject([
      { type: 'reasoning', summary: [{ text: 'Hm.' }], encrypted_content: 'sealed' },
      { type: 'message', content: [{ text: 'Hello' }] },
    ]);
    expect(typesOf(sseEvents).slice(-3)).toEqual(['output_item.added', 'output_item.done', 'completed']);
    expect(JSON.stringify(output.slice(0, -1))).not.toContain('sealed');
  });

  it.each<[string, Step[], object]>([
    ['calls of functions alone, which callers send back whole', [{ calls: 0 }, { finishes: CALLS }], {}],
    ['an answer to a caller that stores nothing', steps, STATELESS],
    ['more than an id may hold', [{ says: 'x'.repeat(300_000) }, { finishes: STOP }], {}],
  ])('omits this item for %s', async (_, reason, fields) => {
    const { output } = await accumulated(await streamed(reason, fields));
    expect(output.filter(({ id }) => String(id).startsWith('rs_plain_'))).toEqual([]);
  });

  it('seals its reasoning separately if the caller requests that', async () => {
    const include = ['reasoning.encrypted_content' as const];
    const [reasoning] = (await accumulated(await streamed(steps, { include }))).output;
    expect(openItems(PLAIN_SEALED_TOKENS, String(reasoning?.encrypted_content), 'x')).toMatchObject([
      { summary: [{ text: 'Hm.' }], encrypted_content: 'sealed' },
    ]);
  });
});

describe('the law of streamed responses', () => {
  const text = fc.string({ minLength: 1 });
  const part: fc.Arbitrary<AssistantPart> = fc.oneof(
    fc.record({ type: fc.constant('text' as const), text }),
    fc.record({ type: fc.constant('refusal' as const), text }),
    fc.record({ type: fc.constant('reasoning' as const), text: fc.string(), signature: text }),
    fc.record({
      type: fc.constant('tool-call' as const),
      id: fc.uuid(),
      name: fc.constantFrom('f', 'patch', 'space__g'),
      arguments: fc.oneof(
        fc.string().map((input) => JSON.stringify({ input })),
        fc.jsonValue().map((value) => JSON.stringify({ value })),
        // An answer may end within them, and no model is bound to say a thing once.
        fc.tuple(fc.string(), fc.nat(12)).map(([input, end]) => JSON.stringify({ input }).slice(0, end)),
        fc.string().map((input) => `{"input":${JSON.stringify(input)},"input":"again"}`),
      ),
    }),
  );
  const tools = [
    { type: 'function', name: 'f' },
    { type: 'custom', name: 'patch' },
    { type: 'namespace', name: 'space', tools: [{ type: 'function', name: 'g' }] },
  ];

  const stepsOf = (parts: readonly AssistantPart[], size: number): Step[] => {
    const fragmentsOf = (fullText: string) => fullText.match(new RegExp(`[\\s\\S]{1,${size}}`, 'g')) ?? [];
    return parts.flatMap((contentPart, at): Step[] => {
      if (contentPart.type === 'text')
        return [...fragmentsOf(contentPart.text).map((says) => ({ says })), 'ends text'];
      if (contentPart.type === 'refusal')
        return [...fragmentsOf(contentPart.text).map((refuses) => ({ refuses })), 'ends text'];
      if (contentPart.type === 'reasoning')
        return [
          ...fragmentsOf(contentPart.text).map((thinks) => ({ thinks })),
          { signs: contentPart.signature ?? '' },
        ];
      const adds = fragmentsOf(contentPart.arguments).map((fragment) => ({ adds: fragment, to: at }));
      return [{ calls: at, id: contentPart.id, name: contentPart.name }, ...adds, { ends: at }];
    });
  };

  it('gives the official SDK the same result as the complete response, however it is split', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(part, { maxLength: 5 }),
        fc.integer({ min: 1, max: 7 }),
        async (parts, size) => {
          const sseEvents = await streamed([...stepsOf(parts, size), { finishes: CALLS }], { tools });
          const expected = completeBody({ parts, finish: CALLS }, { tools }) as ResponsesDocument;
          const { output, status } = await accumulated(sseEvents);
          const shown = (items: readonly JsonObject[]) =>
            items.map(({ parsed_arguments: _parsed, ...item }) => ({
              ...item,
              ...(Array.isArray(item.content)
                ? { content: item.content.map(({ parsed: _text, ...piece }: JsonObject) => piece) }
                : {}),
            }));
          expect(shown(output)).toEqual(shown(expected.output));
          expect(status).toBe('completed');
        },
      ),
      { numRuns: rounds(40) },
    );
  });

  it('streams the same text for a custom tool wherever its arguments are split, as soon as it is certain', () => {
    const argumentsText = fc.oneof(
      fc.string().map((input) => JSON.stringify({ input })),
      fc.string({ unit: 'binary' }).map((input) => JSON.stringify({ input }, undefined, 1)),
      fc.jsonValue().map((value) => JSON.stringify(value)),
      fc.string(),
    );
    fc.assert(
      fc.property(argumentsText, fc.array(fc.nat(60), { maxLength: 6 }), (reason, cuts) => {
        const offsets = [...new Set([0, ...cuts.filter((at) => at < reason.length), reason.length])].sort(
          (a, b) => a - b,
        );
        const input = new CustomInput();
        const read = offsets.slice(1).map((to, at) => input.read(reason.slice(offsets[at], to)));
        const { text: all, rest } = input.end();
        expect(read.join('') + rest).toBe(all);
        const single = new CustomInput();
        single.read(reason);
        expect(single.end().text).toBe(all);
        const parsed = inputOf(reason);
        if (typeof parsed === 'string') expect(all).toBe(parsed);
      }),
      { numRuns: rounds(300) },
    );
    const live = new CustomInput();
    expect(['{"input":"a', '\\', 'nb\\u00', 'e4"}'].map((fragment) => live.read(fragment))).toEqual([
      'a',
      '',
      '\nb',
      'ä',
    ]);
  });
});

function inputOf(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    const { input, ...others } = Object(value) as { input?: unknown };
    return Object.keys(others).length === 0 ? input : undefined;
  } catch {
    return undefined;
  }
}
