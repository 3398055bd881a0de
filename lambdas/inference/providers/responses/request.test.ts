import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import { NO_FIELDS } from '../../core/fields/read-fields.ts';
import type { Conversation } from '../../core/upstream/conversation.ts';
import { pricedFeaturesIn } from '../../testing/fields/samples/all.ts';
import {
  CANARY,
  contextOf,
  converted,
  IDENTITY,
  native,
  REASONING,
  RESPONSE,
} from '../../testing/providers/responses/fixtures.ts';
import { SIGNATURES, signaturesFor } from '../../testing/providers/sealing.ts';
import { forHost, toRequestBody } from './request.ts';
import { toReply } from './response.ts';

const TARGET = { upstream_model: 'gpt-5-mini', reasoning: false };
const PROOF = JSON.stringify({ id: REASONING.id, encrypted_content: REASONING.encrypted_content });
const INCLUDE = ['reasoning.encrypted_content'];

const sent = (conversation: Partial<Conversation>, target: object = {}) =>
  toRequestBody(converted(conversation), { ...TARGET, ...target }, SIGNATURES);
const sentNative = (body: JsonObject, target: object = {}) =>
  toRequestBody(native(body), { ...TARGET, ...target }, SIGNATURES);
const text = (said: string) => ({ type: 'text' as const, text: said });
const thought = (signature: string) => ({ type: 'reasoning' as const, text: 'Hm.', signature });
const call = (id = 'a') => ({ type: 'tool-call' as const, id, name: 'f', arguments: '' });

describe('a conversation as a Responses request', () => {
  it('says no more than the conversation, and that nothing is kept', () => {
    expect(sent({ turns: [{ role: 'user', parts: [text('Hi')] }] })).toEqual({
      model: 'gpt-5-mini',
      store: false,
      stream: false,
      max_output_tokens: 256,
      input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi' }] }],
    });
  });

  it('says everything that the protocol has a field for', () => {
    const body = sent({
      system: ['a', 'b'],
      temperature: 0,
      topP: 0.5,
      parallelToolCalls: false,
      user: 'u',
      tools: [{ name: 'f', description: 'd', parameters: { type: 'object' } }],
      toolChoice: { type: 'tool', name: 'f' },
      format: { type: 'json-schema', schema: { type: 'object' }, strict: true },
      reasoning: { effort: 'low' },
    });
    expect(body).toMatchObject({
      instructions: 'a\n\nb',
      temperature: 0,
      top_p: 0.5,
      parallel_tool_calls: false,
      user: 'u',
      tools: [
        { type: 'function', name: 'f', description: 'd', parameters: { type: 'object' }, strict: false },
      ],
      tool_choice: { type: 'function', name: 'f' },
      text: { format: { type: 'json_schema', name: 'answer', schema: { type: 'object' }, strict: true } },
      reasoning: { effort: 'low', summary: 'auto' },
      include: INCLUDE,
    });
    expect(pricedFeaturesIn('openai-responses', body)).toEqual([]);
  });

  it.each([
    [{ type: 'auto' }, 'auto'],
    [{ type: 'any' }, 'required'],
    [{ type: 'none' }, 'none'],
  ] as const)('knows every choice of tools: %j', (toolChoice, expected) => {
    expect(sent({ toolChoice })).toMatchObject({ tool_choice: expected });
  });

  it('asks a model that reasons for its proof, and no other', () => {
    expect(sent({}, { reasoning: true })).toMatchObject({
      reasoning: { summary: 'auto' },
      include: INCLUDE,
    });
    expect(sent({}, { dialect: { reasoning_request: 'effort' } })).toMatchObject({ include: INCLUDE });
    expect(sent({})).not.toHaveProperty('include');
    expect(sent({ reasoning: { effort: 'none' } }).reasoning).toEqual({ effort: 'none' });
  });

  it('contains results with images and failures, after their calls', () => {
    const image = {
      type: 'image' as const,
      source: { kind: 'base64' as const, mediaType: 'image/png', data: 'aGk=' },
    };
    const { input } = sent({
      turns: [
        { role: 'assistant', parts: [text('One.'), call('a'), { type: 'refusal', text: 'No.' }] },
        {
          role: 'user',
          parts: [
            { type: 'tool-result', id: 'a', content: [text('seen'), image], isError: true },
            text('Well?'),
          ],
        },
      ],
    });
    expect(input).toEqual([
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'One.' }] },
      { type: 'function_call', call_id: 'a', name: 'f', arguments: '{}' },
      { type: 'message', role: 'assistant', content: [{ type: 'refusal', refusal: 'No.' }] },
      {
        type: 'function_call_output',
        call_id: 'a',
        output: [
          { type: 'input_text', text: 'Error: seen' },
          { type: 'input_image', image_url: 'data:image/png;base64,aGk=', detail: 'auto' },
        ],
      },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Well?' }] },
    ]);
  });

  it('sends back what this route proved, and nothing that another did', () => {
    const turn = (signature: string) =>
      sent({ turns: [{ role: 'assistant', parts: [thought(signature), call()] }] }).input;
    expect(turn(SIGNATURES.seal(PROOF))).toEqual([
      {
        type: 'reasoning',
        id: REASONING.id,
        encrypted_content: REASONING.encrypted_content,
        summary: [{ type: 'summary_text', text: 'Hm.' }],
      },
      expect.objectContaining({ type: 'function_call' }),
    ]);
    for (const foreign of [signaturesFor('sim-b').seal(PROOF), SIGNATURES.seal('no JSON'), 'EqQBCkgIARAB'])
      expect(turn(foreign)).toEqual([expect.objectContaining({ type: 'function_call' })]);
  });

  it('ends with no reasoning that nothing follows', () => {
    const parts = [text('a'), thought(SIGNATURES.seal(PROOF))];
    expect(sent({ turns: [{ role: 'assistant', parts }] }).input).toHaveLength(1);
  });
});

describe('a request of a caller of the protocol', () => {
  it('passes as it is, but for the model and what is kept', () => {
    const body = { instructions: 'a', tools: [{ type: 'custom', name: 'p' }], vendor: { nested: [1, null] } };
    expect(sentNative(body)).toEqual({
      ...body,
      input: 'Hi',
      model: 'gpt-5-mini',
      store: false,
      stream: false,
    });
    expect(sentNative({ store: true })).toMatchObject({ store: false });
  });

  it('requests signatures if the model reasons, in addition to other included fields', () => {
    const include = ['message.output_text.logprobs'];
    expect(sentNative({ include, reasoning: { effort: 'low' } }).include).toEqual([...include, ...INCLUDE]);
    expect(sentNative({ include: INCLUDE }).include).toEqual(INCLUDE);
    expect(sentNative({ include }).include).toEqual(include);
  });

  it('gives the proof back to the route that made it, and leaves out what is another’s', () => {
    const reasoning = (sealed?: string) => ({
      type: 'reasoning',
      id: 'rs_ours',
      summary: [],
      ...(sealed === undefined ? {} : { encrypted_content: sealed }),
    });
    const message = { type: 'message', id: 'msg_ours', role: 'assistant', content: [] };
    const { input } = sentNative({
      input: [
        reasoning(SIGNATURES.seal(PROOF)),
        reasoning(signaturesFor('sim-b').seal(PROOF)),
        reasoning(),
        message,
        { type: 'web_search_call', id: 'ws_1' },
      ],
    });
    expect(input).toEqual([
      {
        type: 'reasoning',
        id: REASONING.id,
        summary: [],
        encrypted_content: REASONING.encrypted_content,
      },
      { type: 'message', role: 'assistant', content: [] },
      { type: 'web_search_call', id: 'ws_1' },
    ]);
  });

  it('gets back what it can send again, over as many turns as it likes', () => {
    const { answer } = toReply(RESPONSE, contextOf(native()));
    const { output } = (answer as { body: { output: JsonObject[] } }).body;
    expect(JSON.stringify(output)).not.toContain(CANARY);
    const [first, , last] = sentNative({ input: output }).input as JsonObject[];
    expect(first).toEqual(REASONING);
    expect(last).not.toHaveProperty('id');
  });
});

describe('a whole response', () => {
  it('contains the same content parts as its stream', () => {
    const { answer, text: counted } = toReply(RESPONSE, contextOf(converted()));
    expect(answer).toMatchObject({
      reply: {
        parts: [
          { type: 'reasoning', text: 'First.\n\nThen Łódź.', signature: expect.any(String) },
          { type: 'text', text: 'Grüße, 世界' },
          { type: 'tool-call', id: 'call_a', name: 'get_weather', arguments: '{"city":"Łódź"}' },
        ],
        finish: { reason: 'tool-calls', raw: 'completed' },
      },
    });
    expect(counted).toContain('get_weather');
    expect(JSON.stringify(answer)).not.toContain(CANARY);
  });

  it('shows a caller of the protocol the fields that are named, under our names', () => {
    const { answer, usage } = toReply({ ...RESPONSE, host: CANARY }, contextOf(native()));
    const { body } = answer as { body: JsonObject };
    expect(body).toMatchObject({ ...IDENTITY, created_at: RESPONSE.created_at, temperature: 0.7 });
    expect(JSON.stringify([body, usage])).not.toContain(CANARY);
    expect(body).not.toHaveProperty('usage');
  });

  it.each([
    [{ status: 'failed', error: { code: 'server_error', message: CANARY } }, { kind: 'interrupted' }],
    [{ status: 'in_progress' }, { kind: 'protocol' }],
    [{ output: 'x' }, { kind: 'protocol' }],
    [{ output: [null] }, { kind: 'protocol' }],
  ])('fails if it did not end normally: %j', (more, failure) => {
    for (const payload of [native(), converted()])
      expect(() => toReply({ ...RESPONSE, ...more }, contextOf(payload))).toThrow(
        expect.objectContaining(failure),
      );
  });
});

describe('a host that refuses custom tools (D21)', () => {
  const custom = { tools: [{ type: 'custom', name: 'patch' }] };
  const payloadWith = (body: object, more: object = {}) => ({
    protocol: 'openai-responses' as const,
    stream: false,
    fields: NO_FIELDS,
    body: { ...body },
    conversation: () => ({ system: [], turns: [], tools: [], maxTokens: 1, stop: [] }),
    ...more,
  });
  const route = { upstream_model: 'm', reasoning: false, dialect: { custom_tools: false as const } };

  it('gets them as callers of other protocols give them, where the request has nothing that only this protocol has', () => {
    expect(forHost(payloadWith(custom), route).protocol).toBe('openai');
    const inNamespace = { tools: [{ type: 'namespace', name: 'files', tools: custom.tools }] };
    expect(forHost(payloadWith(inNamespace), route).protocol).toBe('openai');
    expect(forHost(payloadWith(custom), { ...route, dialect: {} }).protocol).toBe('openai-responses');
    expect(forHost(payloadWith({ tools: [{ type: 'function' }] }), route).protocol).toBe('openai-responses');
    const items = payloadWith(custom, {
      fields: { ...NO_FIELDS, needs: [{ kind: 'feature', name: 'responses-items', param: 'input[0]' }] },
    });
    expect(forHost(items, route)).toBe(items);
  });
});
