import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import type { AssistantPart, Conversation, StreamPart } from '../../core/upstream/conversation.ts';
import type { ChatPayload } from '../../core/upstream/provider.ts';
import { pricedFeaturesIn } from '../../testing/fields/samples/all.ts';
import { collect, encode, event } from '../../testing/providers/openai/decoding.ts';
import { CALL, IDENTITY, nativePayload } from '../../testing/providers/openai/fixtures.ts';
import { callBlock, reasoningBlock, textBlock } from '../../testing/providers/parts.ts';
import { SIGNATURES, signaturesFor, withProofs } from '../../testing/providers/sealing.ts';
import { sseData } from '../http-upstream.ts';
import { toRequestBody } from './request.ts';
import { toReply } from './response.ts';
import { toReplyEvents } from './stream.ts';

const CANARY = 'heron-7f3a';
const PROOF = JSON.stringify({ thought_signature: CANARY });
const PLACEHOLDER = 'skip_thought_signature_validator';
const PLAIN: Conversation = { system: [], turns: [], tools: [], maxTokens: 10_000, stop: [] };

const converted = (conversation: Partial<Conversation> = {}): ChatPayload => ({
  ...nativePayload(),
  protocol: 'anthropic',
  conversation: () => ({ ...PLAIN, ...conversation }),
});

type Dialect = NonNullable<Parameters<typeof toRequestBody>[1]['dialect']>;
const target = (dialect: Dialect = {}) => ({ upstream_model: 'm', reasoning: false, dialect });
const TEXT_BACK = target({ reasoning_return: 'reasoning_content' });
const PROOF_BACK = target({ reasoning_return: 'thought_signature' });

const messageOf = (parts: readonly AssistantPart[], route: ReturnType<typeof target>) =>
  (
    toRequestBody(converted({ turns: [{ role: 'assistant', parts }] }), route, SIGNATURES)
      .messages as JsonObject[]
  )[0];
const nativeOf = (message: JsonObject, route: ReturnType<typeof target>) =>
  (
    toRequestBody(nativePayload({ messages: [{ role: 'assistant', ...message }] }), route, SIGNATURES)
      .messages as JsonObject[]
  )[0];

const call = (id: string) => ({ type: 'tool-call' as const, id, name: 'f', arguments: '{}' });
const proof = (signature: string) => ({ type: 'reasoning' as const, text: '', signature });
const extra = (signature: string) => ({ extra_content: { google: { thought_signature: signature } } });
const wireCall = (id: string, more: object = {}) => ({
  id,
  type: 'function',
  function: { name: 'f', arguments: '{}' },
  ...more,
});

describe('a request for reasoning', () => {
  it.each([
    ['effort', { effort: 'high' }, { reasoning_effort: 'high' }],
    ['effort', { maxTokens: 2_000 }, { reasoning_effort: 'low' }],
    ['adaptive', { effort: 'low' }, { reasoning_effort: 'low' }],
    ['switch', { effort: 'high' }, { thinking: { type: 'enabled' } }],
    ['switch', { effort: 'none' }, { thinking: { type: 'disabled' } }],
    ['budget', { effort: 'medium' }, { thinking: { type: 'enabled', budget_tokens: 5_000 } }],
    ['budget', { effort: 'none' }, {}],
    [undefined, { effort: 'high' }, {}],
  ] as const)('follows the mode of the route: %s %j', (asked, reasoning, expected) => {
    const route = target(asked === undefined ? {} : { reasoning_request: asked });
    const { thinking, reasoning_effort } = toRequestBody(converted({ reasoning }), route, SIGNATURES);
    expect(JSON.parse(JSON.stringify({ thinking, reasoning_effort }))).toEqual(expected);
    expect(pricedFeaturesIn('openai', expected)).toEqual([]);
  });
});

describe('reasoning that a conversation holds', () => {
  const thought = { type: 'reasoning' as const, text: 'Hm.' };

  it('goes back as text where the route wants that, and is never missing beside tool calls', () => {
    expect(messageOf([thought, { type: 'text', text: 'a' }], TEXT_BACK)).toEqual({
      role: 'assistant',
      content: 'a',
      reasoning_content: 'Hm.',
    });
    expect(messageOf([call('a')], TEXT_BACK)).toMatchObject({ reasoning_content: '' });
    expect(messageOf([{ type: 'text', text: 'a' }], TEXT_BACK)).not.toHaveProperty('reasoning_content');
  });

  it('disappears if the route accepts none, even if there is nothing else', () => {
    expect(messageOf([thought, { type: 'text', text: 'a' }], target())).toEqual({
      role: 'assistant',
      content: 'a',
    });
    expect(messageOf([thought], target())).toBeUndefined();
  });

  it('proves the calls of this route, and has the placeholder for the first of any other', () => {
    const own = [proof(SIGNATURES.seal(PROOF)), call('a'), call('b')];
    expect(messageOf(own, PROOF_BACK)).toMatchObject({
      tool_calls: [wireCall('a', extra(CANARY)), wireCall('b')],
    });
    const foreign = [signaturesFor('sim-b').seal(PROOF), SIGNATURES.seal('no JSON'), 'EqQBCkgIARAB'];
    for (const signature of foreign)
      expect(messageOf([proof(signature), call('a'), call('b')], PROOF_BACK)?.tool_calls).toEqual([
        wireCall('a', extra(PLACEHOLDER)),
        wireCall('b'),
      ]);
    expect(messageOf(own, target())?.tool_calls).toEqual([wireCall('a'), wireCall('b')]);
  });
});

describe('reasoning that a caller of the protocol sends back', () => {
  it('contains the field that the route requires next to tool calls, under the name that the route knows', () => {
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

  it('proves its calls as the route did, whichever field holds the proof', () => {
    const sealed = SIGNATURES.seal(PROOF);
    const proven = { tool_calls: [wireCall('a', extra(CANARY)), wireCall('b')] };
    expect(nativeOf({ tool_calls: [wireCall('a', extra(sealed)), wireCall('b')] }, PROOF_BACK)).toEqual({
      role: 'assistant',
      ...proven,
    });
    const reasoning_details = [{ type: 'reasoning.encrypted', id: 'a', data: sealed, index: 0 }];
    const tool_calls = [wireCall('a'), wireCall('b')];
    expect(nativeOf({ tool_calls, reasoning_details }, PROOF_BACK)).toEqual({
      role: 'assistant',
      ...proven,
    });
  });

  it('never contains another route’s signature, nor a sealed token', () => {
    const sealed = signaturesFor('sim-b').seal(PROOF);
    const reasoning_details = [{ type: 'reasoning.text', text: 'Hm.', signature: sealed }];
    const message = { content: 'a', reasoning_details, tool_calls: [wireCall('a', extra(sealed))] };
    for (const route of [target(), TEXT_BACK, PROOF_BACK])
      expect(JSON.stringify(nativeOf(message, route))).not.toMatch(/uis1|heron/);
    expect(nativeOf(message, PROOF_BACK)?.tool_calls).toEqual([wireCall('a', extra(PLACEHOLDER))]);
  });

  it('passes as the route gave it, once it has been sealed and opened', () => {
    const details = [
      { type: 'reasoning.text', text: 'Hm.', signature: CANARY, id: `rs_${CANARY}`, format: CANARY },
      { type: 'reasoning.encrypted', data: CANARY },
    ];
    const answer = { choices: [{ message: { content: 'a', reasoning_details: details } }] };
    const { body } = toReply(answer, CALL).answer as { body: { choices: { message: JsonObject }[] } };
    const [{ message } = { message: {} }] = body.choices;
    expect(JSON.stringify(message)).not.toContain(CANARY);
    expect(nativeOf(message, target())).toMatchObject({ reasoning_details: details });
  });
});

const SIGNED = { ...wireCall('a', extra(CANARY)), index: 0 };
const SEALED = `<${PROOF}>`;
const chunk = (delta: object, finish_reason: string | null = null) =>
  encode(event({ choices: [{ index: 0, delta, finish_reason }] }));
const DONE = encode('data: [DONE]\n\n');

async function eventsOf(payload: ChatPayload, ...pieces: readonly Uint8Array[]) {
  async function* bytes() {
    yield* pieces;
  }
  const context = { route: {}, payload, identity: IDENTITY, signatures: SIGNATURES };
  return withProofs(await collect(toReplyEvents(sseData(bytes()), context)));
}

describe('an answer', () => {
  const context = { ...CALL, payload: converted() };

  it.each([
    { reasoning_content: 'Hm.' },
    { reasoning: 'Hm.' },
    { reasoning: 'Hm.', reasoning_details: [{ type: 'reasoning.text', text: 'Hm.' }] },
    { reasoning_details: [{ type: 'reasoning.text', text: 'Hm.' }] },
  ])('contains its reasoning as a content part, from any field name of a host: %j', async (fields) => {
    const { answer, text } = toReply({ choices: [{ message: { content: 'a', ...fields } }] }, context);
    expect(answer).toMatchObject({
      reply: {
        parts: [
          { type: 'reasoning', text: 'Hm.' },
          { type: 'text', text: 'a' },
        ],
      },
    });
    expect(text).toBe('aHm.');
    const events = await eventsOf(converted(), chunk(fields), chunk({ content: 'a' }, 'stop'), DONE);
    const parts: StreamPart[] = events.flatMap(({ parts }) => parts ?? []);
    expect(parts.slice(0, -1)).toEqual([...reasoningBlock(0, ['Hm.']), ...textBlock(1, 'a')]);
  });

  it('contains the signature of a call directly before it, sealed, both complete and streamed', async () => {
    const message = { content: 'a', tool_calls: [SIGNED] };
    const { answer } = toReply({ choices: [{ message, finish_reason: 'tool_calls' }] }, context);
    expect(withProofs(answer)).toMatchObject({
      reply: { parts: [{ type: 'text' }, { type: 'reasoning', text: '', signature: SEALED }, call('a')] },
    });
    expect(JSON.stringify(answer)).not.toContain(CANARY);
    const wire = [chunk({ reasoning_content: 'Hm.' }), chunk({ tool_calls: [SIGNED] }, 'tool_calls'), DONE];
    const parts = (await eventsOf(converted(), ...wire)).flatMap(({ parts }) => parts ?? []);
    expect(parts.slice(0, -1)).toEqual([
      ...reasoningBlock(0, ['Hm.']),
      ...reasoningBlock(1, [], SEALED),
      ...callBlock(2, { id: 'a', name: 'f' }, '{}'),
    ]);
  });

  it('shows a caller of the protocol the proof sealed, and nothing else beside it', async () => {
    const more = { google: { thought_signature: CANARY, host: CANARY }, vertex: CANARY };
    const tool_calls = [{ ...SIGNED, extra_content: more }];
    const { answer } = toReply({ choices: [{ message: { tool_calls } }] }, CALL);
    expect(JSON.stringify(answer)).not.toContain(CANARY);
    const [{ payload } = { payload: undefined }] = await eventsOf(
      nativePayload(),
      chunk({ tool_calls }),
      DONE,
    );
    expect(payload).toMatchObject({ choices: [{ delta: { tool_calls: [extra(SEALED)] } }] });
    const sealed = (answer as { body: { choices: { message: JsonObject }[] } }).body.choices[0]?.message;
    expect(nativeOf(sealed ?? {}, PROOF_BACK)?.tool_calls).toMatchObject([extra(CANARY)]);
  });
});
