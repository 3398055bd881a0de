/**
 * The acceptance tests that openresponses.org lists for an endpoint without further transports, on every route protocol:
 * a text, a stream, a system prompt, a tool's call, an image, more than one turn, labels of phases; and errors.
 */
import { describe, expect, it } from '@jest/globals';
import { createParser } from 'eventsource-parser';
import type * as z from 'zod';
import { PNG } from '../system/conversations/matrix/scenarios.ts';
import { caller } from './caller.ts';
import { PROTOCOLS } from './models.ts';
import { errorBody, eventOf, response, type StreamedEvent } from './response-schema.ts';
import { service } from './service.ts';

type Response_ = z.infer<typeof response>;

const send = (body: object): Promise<Response> =>
  service.fetch('/v1/responses', {
    method: 'POST',
    key: caller().apiKey,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

async function respond(body: object): Promise<Response_> {
  const httpResponse = await send(body);
  expect(httpResponse.status).toBe(200);
  const complete = response.parse(await httpResponse.json());
  expect(complete.status).toBe('completed');
  expect(complete.usage?.total_tokens).toBeGreaterThan(0);
  return complete;
}

/** The events of a stream, each of which is one of the specification, numbered without a gap and closed by `[DONE]`. */
async function stream(body: object): Promise<StreamedEvent[]> {
  const httpResponse = await send({ ...body, stream: true });
  expect(httpResponse.headers.get('content-type')).toMatch(/^text\/event-stream/);
  const sseEvents: { event?: string | undefined; data: string; id?: string | undefined }[] = [];
  createParser({ onEvent: (sseEvent) => sseEvents.push(sseEvent) }).feed(await httpResponse.text());
  expect(sseEvents.pop()?.data).toBe('[DONE]');
  const events = sseEvents.map(({ data }) => eventOf(JSON.parse(data)));
  expect(sseEvents.map(({ event }) => event)).toEqual(events.map(({ type }) => type));
  expect(sseEvents.every(({ id }) => id === undefined)).toBe(true);
  expect(events.map(({ sequence_number: number }) => number)).toEqual(events.keys().toArray());
  return events;
}

/** The response of the last event, which is the only one that ends it. */
function endResponse(events: readonly StreamedEvent[]): Response_ {
  expect(events.filter(({ type }) => type === 'response.completed')).toHaveLength(1);
  const last = events.at(-1);
  expect(last?.type).toBe('response.completed');
  return response.parse(last?.response);
}

const outputTexts = ({ output }: Response_): string[] =>
  output.flatMap((item) =>
    item.type === 'message'
      ? item.content.flatMap((part) => (part.type === 'output_text' ? part.text : []))
      : [],
  );

const calls = ({ output }: Response_) => output.filter((item) => item.type === 'function_call');

const user = (content: unknown) => ({ type: 'message', role: 'user', content });

/** The tool of the acceptance test, without optional fields. */
const WEATHER = {
  type: 'function',
  name: 'get_weather',
  description: 'The weather in a city.',
  parameters: { type: 'object', properties: { location: { type: 'string' } }, required: ['location'] },
};

/** A run of the same type is written once. */
const kinds = (events: readonly StreamedEvent[]): string[] =>
  events.map(({ type }) => type.replace('response.', '')).filter((type, at, all) => type !== all[at - 1]);

describe('Open Responses', () => {
  it.each(PROTOCOLS)('a text, over %s', async (_, model) => {
    const complete = await respond({ model, input: [user('Repeat exactly: one two three')] });
    expect(outputTexts(complete)).toEqual(['one two three']);
  });

  it.each(PROTOCOLS)('a system prompt and instructions, over %s', async (_, model) => {
    const prompt = user('Repeat exactly: aye');
    const system = { type: 'message', role: 'system', content: 'You are a pirate with many words.' };
    const alone = await respond({ model, input: [prompt] });
    const led = await respond({ model, input: [system, prompt] });
    const instructed = await respond({ model, instructions: system.content, input: [prompt] });
    expect(outputTexts(led)).toEqual(['aye']);
    expect(led.usage?.input_tokens).toBeGreaterThan(alone.usage?.input_tokens ?? 0);
    expect(instructed.usage?.input_tokens).toBe(led.usage?.input_tokens);
    expect(instructed.instructions).toBe(system.content);
  });

  it.each(PROTOCOLS)('the events of a text in their order, over %s', async (_, model) => {
    const events = await stream({ model, input: [user('Repeat exactly: one two three')] });
    expect(kinds(events)).toEqual([
      'created',
      'in_progress',
      'output_item.added',
      'content_part.added',
      'output_text.delta',
      'output_text.done',
      'content_part.done',
      'output_item.done',
      // The item that stands for the answer.
      'output_item.added',
      'output_item.done',
      'completed',
    ]);
    const deltas = events.filter(({ type }) => type === 'response.output_text.delta');
    expect(deltas.length).toBeGreaterThan(1);
    expect(deltas.map(({ delta }) => delta).join('')).toBe('one two three');
    const complete = endResponse(events);
    expect(outputTexts(complete)).toEqual(['one two three']);
    const done = events.filter(({ type }) => type === 'response.output_item.done');
    expect(done.map(({ item }) => item)).toEqual(complete.output);
    expect(done.map(({ output_index: index }) => index)).toEqual([0, 1]);
  });

  it.each(PROTOCOLS)('a call of a tool, whole and streamed, over %s', async (_, model) => {
    const request = { model, input: [user('Use get_weather for Oslo.')], tools: [WEATHER] };
    const complete = await respond(request);
    const events = await stream(request);
    expect(kinds(events)).toEqual([
      'created',
      'in_progress',
      'output_item.added',
      'function_call_arguments.delta',
      'function_call_arguments.done',
      'output_item.done',
      'completed',
    ]);
    for (const httpResponse of [complete, endResponse(events)]) {
      expect(calls(httpResponse)).toMatchObject([{ name: 'get_weather', status: 'completed' }]);
      expect(JSON.parse(calls(httpResponse)[0]?.arguments ?? '')).toEqual({ location: expect.any(String) });
    }
    const deltas = events.filter(({ type }) => type === 'response.function_call_arguments.delta');
    expect(deltas.map(({ delta }) => delta).join('')).toBe(calls(endResponse(events))[0]?.arguments);
  });

  it.each(PROTOCOLS)('an image, over %s', async (_, model) => {
    const image = { type: 'input_image', image_url: `data:image/png;base64,${PNG}` };
    const complete = await respond({
      model,
      input: [user([{ type: 'input_text', text: 'What is this?' }, image])],
    });
    expect(outputTexts(complete).join()).toMatch(/image/i);
  });

  it.each(PROTOCOLS)(
    'continues a conversation of several turns, including phases and a tool’s output, over %s',
    async (_, model) => {
      const assistantMessage = (content: string, phase: string) => ({
        type: 'message',
        role: 'assistant',
        content,
        phase,
      });
      const turns = [
        user('My name is Ada.'),
        assistantMessage('I see.', 'commentary'),
        assistantMessage('Hi, Ada.', 'final_answer'),
      ];
      const request = await respond({
        model,
        input: [...turns, user('Use get_weather for Oslo.')],
        tools: [WEATHER],
      });
      const outputs = calls(request).map((call) => ({
        type: 'function_call_output',
        call_id: call.call_id,
        output: 'minus 7 degrees',
      }));
      const input = [...turns, user('Use get_weather for Oslo.'), ...request.output, ...outputs];
      expect(outputTexts(await respond({ model, input, tools: [WEATHER] })).join()).toContain(
        'minus 7 degrees',
      );
    },
  );
});

describe('an error, as Open Responses has it', () => {
  const [, model] = PROTOCOLS[0] ?? ['', ''];
  it.each([
    ['no model', { input: 'Hi' }, 400, 'model'],
    ['an unknown model', { model: 'no/such', input: 'Hi' }, 400, 'model'],
    ['no input', { model }, 400, 'input'],
    [
      'an unknown kind of content',
      { model, input: [user([{ type: 'smell' }])] },
      400,
      'input[0].content[0].type',
    ],
    [
      'an answer that is not kept',
      { model, input: 'Hi', previous_response_id: 'resp_1' },
      400,
      'previous_response_id',
    ],
  ] as const)('names the field: %s', async (_, body, status, param) => {
    const httpResponse = await send(body);
    expect(httpResponse.status).toBe(status);
    expect(errorBody.parse(await httpResponse.json()).error).toMatchObject({ param });
  });
});
