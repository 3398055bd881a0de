import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import type { Conversation } from '../../core/upstream/conversation.ts';
import { NO_FIELDS } from '../../testing/fields/no-fields.ts';
import { pricedFeaturesIn } from '../../testing/fields/samples/all.ts';
import { PLAIN } from '../../testing/providers/payloads.ts';
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
import { assistant, text, toolCall, toolResult, user } from '../../testing/providers/turns.ts';
import { forHost, toRequestBody } from './request.ts';
import { toRouteResponse } from './response.ts';

const TARGET = { upstream_model: 'gpt-5-mini', reasoning: false };
const SIGNATURE = JSON.stringify({ id: REASONING.id, encrypted_content: REASONING.encrypted_content });
const INCLUDE = ['reasoning.encrypted_content'];

const sentBody = (conversation: Partial<Conversation>, target: object = {}) =>
  toRequestBody(converted(conversation), { ...TARGET, ...target }, SIGNATURES);
const sentNative = (body: JsonObject, target: object = {}) =>
  toRequestBody(native(body), { ...TARGET, ...target }, SIGNATURES);
const thought = (signature: string) => ({ type: 'reasoning' as const, text: 'Hm.', signature });
const call = toolCall('a', 'f', '');

describe('a conversation as a Responses request', () => {
  it('contains nothing beyond the conversation, and disables storage', () => {
    expect(sentBody({ turns: [user('Hi')] })).toEqual({
      model: 'gpt-5-mini',
      store: false,
      stream: false,
      max_output_tokens: 256,
      input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi' }] }],
    });
  });

  it('contains everything for which the protocol has a field', () => {
    const body = sentBody({
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
  ] as const)('supports every tool choice: %j', (toolChoice, expected) => {
    expect(sentBody({ toolChoice })).toMatchObject({ tool_choice: expected });
  });

  it('requests the signature only from a model that reasons', () => {
    expect(sentBody({}, { reasoning: true })).toMatchObject({
      reasoning: { summary: 'auto' },
      include: INCLUDE,
    });
    expect(sentBody({}, { dialect: { reasoning_request: 'effort' } })).toMatchObject({ include: INCLUDE });
    expect(sentBody({})).not.toHaveProperty('include');
    expect(sentBody({ reasoning: { effort: 'none' } }).reasoning).toEqual({ effort: 'none' });
  });

  it('contains results with images and failures, after their calls', () => {
    const image = {
      type: 'image' as const,
      source: { kind: 'base64' as const, mediaType: 'image/png', data: 'aGk=' },
    };
    const { input } = sentBody({
      turns: [
        assistant('One.', call, { type: 'refusal', text: 'No.' }),
        user(toolResult('a', [text('seen'), image], true), 'Well?'),
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

  it('returns the signatures of this route, and none of another route', () => {
    const turn = (signature: string) => sentBody({ turns: [assistant(thought(signature), call)] }).input;
    expect(turn(SIGNATURES.seal(SIGNATURE))).toEqual([
      {
        type: 'reasoning',
        id: REASONING.id,
        encrypted_content: REASONING.encrypted_content,
        summary: [{ type: 'summary_text', text: 'Hm.' }],
      },
      expect.objectContaining({ type: 'function_call' }),
    ]);
    for (const foreign of [
      signaturesFor('sim-b').seal(SIGNATURE),
      SIGNATURES.seal('no JSON'),
      'EqQBCkgIARAB',
    ])
      expect(turn(foreign)).toEqual([expect.objectContaining({ type: 'function_call' })]);
  });

  it('ends with no reasoning that nothing follows', () => {
    const turns = [assistant('a', thought(SIGNATURES.seal(SIGNATURE)))];
    expect(sentBody({ turns }).input).toHaveLength(1);
  });
});

describe('a request of a caller of the protocol', () => {
  it('passes unchanged, except for the model and the storage flag', () => {
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

  it('returns the signature to the route that created it, and omits those of others', () => {
    const reasoning = (sealed?: string) => ({
      type: 'reasoning',
      id: 'rs_ours',
      summary: [],
      ...(sealed === undefined ? {} : { encrypted_content: sealed }),
    });
    const message = { type: 'message', id: 'msg_ours', role: 'assistant', content: [] };
    const { input } = sentNative({
      input: [
        reasoning(SIGNATURES.seal(SIGNATURE)),
        reasoning(signaturesFor('sim-b').seal(SIGNATURE)),
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

  it('receives items that it can send again, over any number of turns', () => {
    const { completeResponse } = toRouteResponse(RESPONSE, contextOf(native()));
    const { output } = (completeResponse as { body: { output: JsonObject[] } }).body;
    expect(JSON.stringify(output)).not.toContain(CANARY);
    const [first, , last] = sentNative({ input: output }).input as JsonObject[];
    expect(first).toEqual(REASONING);
    expect(last).not.toHaveProperty('id');
  });
});

describe('a whole response', () => {
  it('contains the same content parts as its stream', () => {
    const { completeResponse, outputText: counted } = toRouteResponse(RESPONSE, contextOf(converted()));
    expect(completeResponse).toMatchObject({
      output: {
        parts: [
          { type: 'reasoning', text: 'First.\n\nThen Łódź.', signature: expect.any(String) },
          { type: 'text', text: 'Grüße, 世界' },
          { type: 'tool-call', id: 'call_a', name: 'get_weather', arguments: '{"city":"Łódź"}' },
        ],
        finish: { reason: 'tool-calls', raw: 'completed' },
      },
    });
    expect(counted).toContain('get_weather');
    expect(JSON.stringify(completeResponse)).not.toContain(CANARY);
  });

  it('shows a caller of the protocol the fields that are named, under our names', () => {
    const { completeResponse, usage } = toRouteResponse({ ...RESPONSE, host: CANARY }, contextOf(native()));
    const { body } = completeResponse as { body: JsonObject };
    expect(body).toMatchObject({ ...IDENTITY, created_at: RESPONSE.created_at, temperature: 0.7 });
    expect(JSON.stringify([body, usage])).not.toContain(CANARY);
    expect(body).not.toHaveProperty('usage');
  });

  it.each([
    [{ status: 'failed', error: { code: 'server_error', message: CANARY } }, { kind: 'interrupted' }],
    [{ status: 'in_progress' }, { kind: 'protocol' }],
    [{ output: 'x' }, { kind: 'protocol' }],
    [{ output: [null] }, { kind: 'protocol' }],
  ])('fails if it did not end normally: %j', (fields, failure) => {
    for (const payload of [native(), converted()])
      expect(() => toRouteResponse({ ...RESPONSE, ...fields }, contextOf(payload))).toThrow(
        expect.objectContaining(failure),
      );
  });
});

describe('a vendor that rejects custom tools (D21)', () => {
  const custom = { tools: [{ type: 'custom', name: 'patch' }] };
  const payloadWith = (body: JsonObject, fields: object = {}) => ({
    ...native(body),
    conversation: () => PLAIN,
    ...fields,
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
