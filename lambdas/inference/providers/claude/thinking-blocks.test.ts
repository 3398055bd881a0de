import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import {
  block,
  change,
  closed,
  decode,
  FINAL_EVENT,
  START,
  STOP,
} from '../../testing/providers/anthropic/decoding.ts';
import { NATIVE, nativePayload } from '../../testing/providers/anthropic/fixtures.ts';
import { SIGNATURES, signaturesFor, withProofs } from '../../testing/providers/sealing.ts';
import { collect, wire } from '../../testing/providers/streams.ts';
import { toRequest } from '../anthropic/request.ts';
import { toRouteResponse } from '../anthropic/response.ts';
import { sealRouteSignature } from './route-signatures.ts';

const ROUTE = { upstream_model: 'claude-sonnet-4-5', reasoning: false };
const RAW = 'EqQBCgIYAhIM1gbcDa9GJwZA2b3hGgxB';

const BETAS = { betas: ['context-management-2025-06-27'] };

/** Returns the body that is sent for a caller's body, without model and stream. */
const sentOf = (body: JsonObject) => {
  const {
    model: _model,
    stream: _stream,
    ...sent
  } = toRequest({ ...nativePayload(body), headers: BETAS }, ROUTE, SIGNATURES).body;
  return sent;
};
const messagesOf = (messages: readonly unknown[], rest: JsonObject = {}) =>
  sentOf({ messages, ...rest }).messages;

const user = (content: unknown) => ({ role: 'user', content });
const assistant = (...content: readonly unknown[]) => ({ role: 'assistant', content });
const text = { type: 'text', text: 'b' };
const use = { type: 'tool_use', id: 'toolu_1', name: 'f', input: {} };
const result = user([{ type: 'tool_result', tool_use_id: 'toolu_1', content: '12:00' }]);

const thinking = (signature: string) => ({ type: 'thinking', thinking: 'Hm.', signature });
const redacted = (data: string) => ({ type: 'redacted_thinking', data });
const ownThinking = thinking(sealRouteSignature({ signature: RAW }, SIGNATURES));
const ownRedacted = redacted(sealRouteSignature({ redacted: 'EmwK' }, SIGNATURES));
const foreign = thinking(sealRouteSignature({ signature: 'x' }, signaturesFor('sim-b')));
const foreignRedacted = redacted(sealRouteSignature({ redacted: 'x' }, signaturesFor('sim-b')));

describe('the thinking in a request of the protocol', () => {
  it.each([
    ['another route’s', [foreign, foreignRedacted]],
    ['of an empty signature', [thinking(''), redacted('')]],
    ['of no signature', [{ type: 'thinking', thinking: 'Hm.' }, { type: 'redacted_thinking' }]],
  ])('disappears if it is %s', (_what, thoughts) => {
    expect(messagesOf([user('a'), assistant(...thoughts, text), user('c')])).toEqual([
      user('a'),
      assistant(text),
      user('c'),
    ]);
    // No message becomes empty.
    expect(messagesOf([user('a'), assistant(...thoughts), user('c')])).toEqual([user('a'), user('c')]);
  });

  it('goes on unchanged if it is of a response that this service did not give', () => {
    const thoughts = [thinking(RAW), redacted('EmwK')];
    const messages = [user('a'), assistant(...thoughts, use), result];
    const body = { messages, thinking: { type: 'enabled', budget_tokens: 1024 } };
    expect(sentOf(body)).toEqual(body);
    expect(messagesOf([user('a'), assistant(...thoughts, foreign, text), user('c')])).toEqual([
      user('a'),
      assistant(...thoughts, text),
      user('c'),
    ]);
  });

  it('disappears from a message that would no longer start with it', () => {
    expect(messagesOf([user('a'), assistant(foreign, text, ownThinking, use), result])).toEqual([
      user('a'),
      assistant(text, use),
      result,
    ]);
    expect(messagesOf([user('a'), assistant(ownThinking, text, foreign, use), result])).toEqual([
      user('a'),
      assistant(thinking(RAW), text, use),
      result,
    ]);
  });

  it('changes nothing else, and nothing of the caller’s request itself', () => {
    const body = {
      messages: [user('a'), assistant(ownThinking, text), user([]), assistant(), { role: 'x' }, null],
      thinking: { type: 'enabled', budget_tokens: 1024 },
      vendor_extension: [1, null],
    };
    const before = structuredClone(body);
    const messages = [user('a'), assistant(thinking(RAW), text), ...body.messages.slice(2)];
    expect(sentOf(body)).toEqual({ ...body, messages });
    expect(body).toEqual(before);
    for (const odd of [{}, { messages: 'a' }, { messages: null }]) expect(sentOf(odd)).toEqual(odd);
  });
});

describe('thinking with a budget, requested by a caller of the protocol', () => {
  const ON = { thinking: { type: 'enabled', budget_tokens: 1024 } };
  const OFF = { thinking: { type: 'disabled' } };
  const sentFor = (...messages: readonly unknown[]) => sentOf({ messages: [user('a'), ...messages], ...ON });

  it('continues if the response that called the tools starts with its own thinking', () => {
    expect(sentFor(assistant(ownThinking, use), result)).toMatchObject(ON);
    expect(sentFor(assistant(ownRedacted, use), result)).toMatchObject(ON);
    // One turn may call tools again without another thought.
    expect(sentFor(assistant(ownThinking, use), result, assistant(use), result)).toMatchObject(ON);
  });

  it('turns off if the response in the tool turn lost its thinking, because Claude would reject it', () => {
    expect(sentFor(assistant(foreign, use), result)).toEqual({
      ...OFF,
      messages: [user('a'), assistant(use), result],
    });
    expect(sentFor(assistant(use), result)).toMatchObject(OFF);
    const again = sentFor(assistant(ownThinking, text), user('b'), assistant(foreign, use), result);
    expect(again).toMatchObject(OFF);
    expect(JSON.stringify(again)).not.toContain('thinking":"Hm.');
    expect(sentFor(assistant(ownThinking, use), result, assistant(foreign, use), result)).toMatchObject(OFF);
  });

  it('turns on again with the next question, and stays on if the caller writes the start of the response', () => {
    expect(sentFor(assistant(foreign, use), result, assistant(text), user('b'))).toMatchObject(ON);
    expect(sentFor(assistant(text))).toMatchObject(ON);
  });

  it('drops the rules that clear it if it is off', () => {
    const edits = [{ type: 'clear_thinking_20251015' }, { type: 'clear_tool_uses_20250919' }];
    const messages = [user('a'), assistant(foreign, use), result];
    expect(sentOf({ messages, ...ON, context_management: { edits } })).toMatchObject({
      context_management: { edits: edits.slice(1) },
    });
  });

  it('stays unchanged if it is of any other type', () => {
    const thinkingOf = (requested: JsonObject) =>
      sentOf({ messages: [user('a'), assistant(foreign, use), result], thinking: requested }).thinking;
    for (const requested of [{ type: 'adaptive' }, { type: 'disabled' }, { type: 'between_tools' }])
      expect(thinkingOf(requested)).toEqual(requested);
  });
});

describe('the thinking in a response of the protocol', () => {
  const payloadsOf = async (...events: readonly unknown[]): Promise<JsonObject[]> =>
    (await collect(decode(NATIVE, wire(START, ...events, FINAL_EVENT, STOP)))).flatMap(({ nativeEvent }) =>
      nativeEvent === undefined ? [] : [nativeEvent],
    );

  const signed = (signature: unknown) => change(0, { type: 'signature_delta', signature });
  const signatureDelta = { type: 'signature_delta', signature: `<${JSON.stringify({ signature: RAW })}>` };

  it.each([
    ['in one piece', [signed(RAW)]],
    ['in pieces', [...RAW].map((fragmentDelta) => signed(fragmentDelta))],
    ['with an empty piece', [signed(RAW), signed('')]],
  ])('includes its signature, %s, once, before its block ends', async (_how, deltas) => {
    const blockStart = block(0, { type: 'thinking', thinking: '', signature: '' });
    const thinkingDelta = change(0, { type: 'thinking_delta', thinking: 'Hm.' });
    const payloads = await payloadsOf(blockStart, thinkingDelta, ...deltas, closed(0));
    expect(withProofs(payloads).slice(1, -2)).toEqual([
      blockStart,
      thinkingDelta,
      change(0, signatureDelta),
      closed(0),
    ]);
    expect(JSON.stringify(payloads)).not.toContain(RAW);
  });

  it('seals the signatures with which its blocks start, and adds none to a block without one', async () => {
    const blockStart = block(0, { type: 'thinking', thinking: 'Hm.', signature: RAW });
    const payloads = await payloadsOf(blockStart, closed(0), block(1, redacted(RAW)), closed(1));
    expect(withProofs(payloads).slice(1, -2)).toEqual([
      block(0, { ...thinking(signatureDelta.signature) }),
      closed(0),
      block(1, redacted(`<${JSON.stringify({ redacted: RAW })}>`)),
      closed(1),
    ]);
    const bare = [block(0, { type: 'thinking', thinking: '', signature: '' }), closed(0)];
    expect((await payloadsOf(...bare)).slice(1, -2)).toEqual(bare);
  });

  it('separates the signatures of blocks that alternate', async () => {
    const blockStart = (index: number) => block(index, { type: 'thinking', thinking: '', signature: '' });
    const fragmentDelta = (index: number, signature: string) =>
      change(index, { type: 'signature_delta', signature });
    const events = [
      blockStart(0),
      blockStart(1),
      fragmentDelta(0, 'a'),
      fragmentDelta(1, 'x'),
      fragmentDelta(0, 'b'),
      closed(1),
      closed(0),
    ];
    const deltas = withProofs(await payloadsOf(...events)).filter(
      ({ type }) => type === 'content_block_delta',
    );
    expect(deltas).toEqual([
      fragmentDelta(1, '<{"signature":"x"}>'),
      fragmentDelta(0, '<{"signature":"ab"}>'),
    ]);
    // A place that is taken again has none of the signature before.
    const again = await payloadsOf(blockStart(0), fragmentDelta(0, 'a'), closed(0), blockStart(0), closed(0));
    expect(again.filter(({ type }) => type === 'content_block_delta')).toHaveLength(1);
  });

  it('never exposes its signatures unsealed, wherever a server sends them', async () => {
    const content = [thinking(RAW), redacted(RAW)];
    const start = { ...START, message: { ...START.message, content } };
    const streamed = await collect(decode(NATIVE, wire(start, FINAL_EVENT, STOP)));
    const reply = toRouteResponse({ content, stop_reason: 'end_turn' }, NATIVE);
    expect(JSON.stringify([streamed, reply])).not.toContain(RAW);
    // A control: the sealed tokens hold it.
    expect(JSON.stringify(withProofs([streamed, reply])).split(RAW)).toHaveLength(5);
  });

  it('returns to its route unchanged from a complete response', () => {
    const content = [thinking(RAW), redacted('EmwK'), text, use];
    const { completeResponse } = toRouteResponse({ content, stop_reason: 'tool_use' }, NATIVE);
    const body = 'body' in completeResponse ? completeResponse.body : {};
    expect(messagesOf([user('a'), { role: 'assistant', content: body.content }, result])).toEqual([
      user('a'),
      { role: 'assistant', content },
      result,
    ]);
  });
});
