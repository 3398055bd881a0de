import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import type { AssistantPart } from '../../core/upstream/conversation.ts';
import { decodeFor } from '../../testing/providers/openai/decoding.ts';
import { CALL, CONVERTED, nativePayload } from '../../testing/providers/openai/fixtures.ts';
import { reasoningParts, textParts, toolCallParts } from '../../testing/providers/parts.ts';
import { convertedPayload } from '../../testing/providers/payloads.ts';
import { SIGNATURES, signaturesFor, withProofs } from '../../testing/providers/sealing.ts';
import { collect, partsIn, wire } from '../../testing/providers/streams.ts';
import { toolCall } from '../../testing/providers/turns.ts';
import { toRequestBody } from './request.ts';
import { toRouteResponse } from './response.ts';

const CANARY = 'heron-7f3a';
const SIGNATURE = JSON.stringify({ thought_signature: CANARY });
const PLACEHOLDER = 'skip_thought_signature_validator';
type Dialect = NonNullable<Parameters<typeof toRequestBody>[1]['dialect']>;
const target = (dialect: Dialect = {}) => ({ upstream_model: 'm', reasoning: false, dialect });
const TEXT_BACK = target({ reasoning_return: 'reasoning_content' });
const RETURNED_SIGNATURE = target({ reasoning_return: 'thought_signature' });

const messageOf = (parts: readonly AssistantPart[], route: ReturnType<typeof target>) =>
  (
    toRequestBody(convertedPayload({ turns: [{ role: 'assistant', parts }] }), route, SIGNATURES)
      .messages as JsonObject[]
  )[0];
const nativeOf = (message: JsonObject, route: ReturnType<typeof target>) =>
  (
    toRequestBody(nativePayload({ messages: [{ role: 'assistant', ...message }] }), route, SIGNATURES)
      .messages as JsonObject[]
  )[0];

const signedReasoning = (signature: string) => ({ type: 'reasoning' as const, text: '', signature });
const extra = (signature: string) => ({ extra_content: { google: { thought_signature: signature } } });
const wireCall = (id: string, fields: object = {}) => ({
  id,
  type: 'function',
  function: { name: 'f', arguments: '{}' },
  ...fields,
});

describe('reasoning that a conversation holds', () => {
  const thought = { type: 'reasoning' as const, text: 'Hm.' };

  it('returns as text if the route requires it, and is never missing next to tool calls', () => {
    expect(messageOf([thought, { type: 'text', text: 'a' }], TEXT_BACK)).toEqual({
      role: 'assistant',
      content: 'a',
      reasoning_content: 'Hm.',
    });
    expect(messageOf([toolCall('a')], TEXT_BACK)).toMatchObject({ reasoning_content: '' });
    expect(messageOf([{ type: 'text', text: 'a' }], TEXT_BACK)).not.toHaveProperty('reasoning_content');
  });

  it('disappears if the route accepts none, even if there is nothing else', () => {
    expect(messageOf([thought, { type: 'text', text: 'a' }], target())).toEqual({
      role: 'assistant',
      content: 'a',
    });
    expect(messageOf([thought], target())).toBeUndefined();
  });

  it('contains the signature of this route’s calls, and the placeholder for the first call of any other route', () => {
    const ownParts = [signedReasoning(SIGNATURES.seal(SIGNATURE)), toolCall('a'), toolCall('b')];
    expect(messageOf(ownParts, RETURNED_SIGNATURE)).toMatchObject({
      tool_calls: [wireCall('a', extra(CANARY)), wireCall('b')],
    });
    const foreign = [signaturesFor('sim-b').seal(SIGNATURE), SIGNATURES.seal('no JSON'), 'EqQBCkgIARAB'];
    for (const signature of foreign)
      expect(
        messageOf([signedReasoning(signature), toolCall('a'), toolCall('b')], RETURNED_SIGNATURE)?.tool_calls,
      ).toEqual([wireCall('a', extra(PLACEHOLDER)), wireCall('b')]);
    expect(messageOf(ownParts, target())?.tool_calls).toEqual([wireCall('a'), wireCall('b')]);
  });
});

describe('reasoning that a caller of the protocol sends back', () => {
  it('contains the field that the route requires next to tool calls, under the route’s name for it', () => {
    const tool_calls = [wireCall('a')];
    expect(nativeOf({ tool_calls }, TEXT_BACK)).toMatchObject({ reasoning_content: '' });
    expect(nativeOf({ tool_calls, reasoning: 'Hm.' }, TEXT_BACK)).toEqual({
      role: 'assistant',
      tool_calls,
      reasoning_content: 'Hm.',
    });
    expect(nativeOf({ content: 'a' }, TEXT_BACK)).not.toHaveProperty('reasoning_content');
    expect(nativeOf({ content: 'a', reasoning_content: 'Hm.' }, target())).toEqual({
      role: 'assistant',
      content: 'a',
    });
  });

  it('restores the signatures of the route’s calls from either field', () => {
    const sealed = SIGNATURES.seal(SIGNATURE);
    const signedMessage = { tool_calls: [wireCall('a', extra(CANARY)), wireCall('b')] };
    expect(
      nativeOf({ tool_calls: [wireCall('a', extra(sealed)), wireCall('b')] }, RETURNED_SIGNATURE),
    ).toEqual({
      role: 'assistant',
      ...signedMessage,
    });
    const reasoning_details = [{ type: 'reasoning.encrypted', id: 'a', data: sealed, index: 0 }];
    const tool_calls = [wireCall('a'), wireCall('b')];
    expect(nativeOf({ tool_calls, reasoning_details }, RETURNED_SIGNATURE)).toEqual({
      role: 'assistant',
      ...signedMessage,
    });
  });

  it('never contains another route’s signature, nor a sealed token', () => {
    const sealed = signaturesFor('sim-b').seal(SIGNATURE);
    const reasoning_details = [{ type: 'reasoning.text', text: 'Hm.', signature: sealed }];
    const message = { content: 'a', reasoning_details, tool_calls: [wireCall('a', extra(sealed))] };
    for (const route of [target(), TEXT_BACK, RETURNED_SIGNATURE])
      expect(JSON.stringify(nativeOf(message, route))).not.toMatch(/uis1|heron/);
    expect(nativeOf(message, RETURNED_SIGNATURE)?.tool_calls).toEqual([wireCall('a', extra(PLACEHOLDER))]);
  });

  it('passes as the route gave it, once it has been sealed and opened', () => {
    const details = [
      { type: 'reasoning.text', text: 'Hm.', signature: CANARY, id: `rs_${CANARY}`, format: CANARY },
      { type: 'reasoning.encrypted', data: CANARY },
    ];
    const responseBody = { choices: [{ message: { content: 'a', reasoning_details: details } }] };
    const { body } = toRouteResponse(responseBody, CALL).completeResponse as {
      body: { choices: { message: JsonObject }[] };
    };
    const [{ message } = { message: {} }] = body.choices;
    expect(JSON.stringify(message)).not.toContain(CANARY);
    expect(nativeOf(message, target())).toMatchObject({ reasoning_details: details });
  });
});

const SIGNED = { ...wireCall('a', extra(CANARY)), index: 0 };
const SEALED = `<${SIGNATURE}>`;
const chunk = (delta: object, finish_reason: string | null = null) => ({
  choices: [{ index: 0, delta, finish_reason }],
});
const eventsOf = async (context: typeof CALL | typeof CONVERTED, ...chunks: readonly unknown[]) =>
  withProofs(await collect(decodeFor(context, wire(...chunks, '[DONE]'))));

describe('a response', () => {
  it.each([
    { reasoning_content: 'Hm.' },
    { reasoning: 'Hm.' },
    { reasoning: 'Hm.', reasoning_details: [{ type: 'reasoning.text', text: 'Hm.' }] },
    { reasoning_details: [{ type: 'reasoning.text', text: 'Hm.' }] },
  ])('contains its reasoning as a content part, from any field name of a host: %j', async (fields) => {
    const { completeResponse, outputText } = toRouteResponse(
      { choices: [{ message: { content: 'a', ...fields } }] },
      CONVERTED,
    );
    expect(completeResponse).toMatchObject({
      output: {
        parts: [
          { type: 'reasoning', text: 'Hm.' },
          { type: 'text', text: 'a' },
        ],
      },
    });
    expect(outputText).toBe('aHm.');
    const events = await eventsOf(CONVERTED, chunk(fields), chunk({ content: 'a' }, 'stop'));
    expect(events.map((each) => each.outputText).join('')).toBe('Hm.a');
    expect(partsIn(events).slice(0, -1)).toEqual([...reasoningParts(0, ['Hm.']), ...textParts(1, 'a')]);
  });

  it('contains the signature of a call directly before it, sealed, both complete and streamed', async () => {
    const message = { content: 'a', tool_calls: [SIGNED] };
    const { completeResponse } = toRouteResponse(
      { choices: [{ message, finish_reason: 'tool_calls' }] },
      CONVERTED,
    );
    expect(withProofs(completeResponse)).toMatchObject({
      output: {
        parts: [{ type: 'text' }, { type: 'reasoning', text: '', signature: SEALED }, toolCall('a')],
      },
    });
    expect(JSON.stringify(completeResponse)).not.toContain(CANARY);
    const chunks = [chunk({ reasoning_content: 'Hm.' }), chunk({ tool_calls: [SIGNED] }, 'tool_calls')];
    expect(partsIn(await eventsOf(CONVERTED, ...chunks)).slice(0, -1)).toEqual([
      ...reasoningParts(0, ['Hm.']),
      ...reasoningParts(1, [], SEALED),
      ...toolCallParts(2, { id: 'a', name: 'f' }, '{}'),
    ]);
  });

  it('contains only the sealed signature for a caller of the protocol', async () => {
    const fields = { google: { thought_signature: CANARY, host: CANARY }, vertex: CANARY };
    const tool_calls = [{ ...SIGNED, extra_content: fields }];
    const { completeResponse } = toRouteResponse({ choices: [{ message: { tool_calls } }] }, CALL);
    expect(JSON.stringify(completeResponse)).not.toContain(CANARY);
    const [{ nativeEvent } = { nativeEvent: undefined }] = await eventsOf(CALL, chunk({ tool_calls }));
    expect(nativeEvent).toMatchObject({ choices: [{ delta: { tool_calls: [extra(SEALED)] } }] });
    const sealed = (completeResponse as { body: { choices: { message: JsonObject }[] } }).body.choices[0]
      ?.message;
    expect(nativeOf(sealed ?? {}, RETURNED_SIGNATURE)?.tool_calls).toMatchObject([extra(CANARY)]);
  });
});
