import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../../tools/test-kit/search.ts';
import { rounds } from '../../../../tools/test-kit/thorough.ts';
import type {
  AssistantPart,
  AssistantReply,
  Conversation,
  StreamPart,
} from '../../core/upstream/conversation.ts';
import type { Reply } from '../../core/upstream/provider.ts';
import {
  block,
  change,
  closed,
  collect,
  decode,
  END,
  START,
  STOP,
  wire,
} from '../../testing/providers/anthropic/decoding.ts';
import { FOREIGN, foreignPayload } from '../../testing/providers/anthropic/fixtures.ts';
import { callFor, JSON_TYPE, outcome } from '../../testing/providers/bedrock/calling.ts';
import {
  end,
  framesOf,
  start,
  stop,
  text as textEvent,
  thought,
} from '../../testing/providers/bedrock/frames.ts';
import { SIGNATURES } from '../../testing/providers/sealing.ts';
import { toRequest } from '../anthropic/request.ts';
import { toReply } from '../anthropic/response.ts';
import { toConverseCall } from '../bedrock/request.ts';

const ROUTE = { upstream_model: 'anthropic.claude', reasoning: false };

const words = fc.string({ minLength: 1 }).filter((said) => said.trim() !== '');
const proofs = fc.string({ minLength: 1, maxLength: 300 });
const THOUGHTS = fc.array(
  fc.oneof(
    fc.record({ thinking: words, signature: proofs }),
    fc.record({
      redacted: fc.uint8Array({ minLength: 1 }).map((bytes) => Buffer.from(bytes).toString('base64')),
    }),
  ),
  { minLength: 1, maxLength: 3 },
);

const partsOf = (reply: Reply): AssistantReply['parts'] => {
  if (reply.kind !== 'json' || !('reply' in reply.answer)) throw new Error('not a whole reply');
  return reply.answer.reply.parts;
};

/** The answer that the parts of a stream make. */
function answerOf(parts: readonly StreamPart[]): AssistantPart[] {
  const open = new Map<number, { type: string; text: string; signature?: string }>();
  for (const part of parts) {
    if (part.type === 'start') open.set(part.block, { type: part.content.type, text: '' });
    const known = 'block' in part ? open.get(part.block) : undefined;
    if (known === undefined) continue;
    if (part.type === 'delta') known.text += part.text;
    if (part.type === 'end' && part.signature !== undefined) known.signature = part.signature;
  }
  return [...open.values()] as AssistantPart[];
}

/** The conversation that goes on with an answer. */
const followUpOf = (parts: readonly AssistantPart[]): Partial<Conversation> => ({
  turns: [
    { role: 'user', parts: [{ type: 'text', text: 'a' }] },
    { role: 'assistant', parts },
    { role: 'user', parts: [{ type: 'text', text: 'c' }] },
  ],
});

/** Bytes as the wire has them: a replacer of JSON, which gets them as Node writes them. */
const asBase64 = (_name: string, value: unknown): unknown => {
  const { type, data } = Object(value) as { readonly type?: unknown; readonly data?: readonly number[] };
  return type === 'Buffer' ? Buffer.from(data ?? []).toString('base64') : value;
};

describe('the thoughts of an answer', () => {
  it('return over the Messages protocol as they came, of a whole answer and of a streamed one', async () => {
    await fc.assert(
      fc.asyncProperty(THOUGHTS, words, async (thoughts, said) => {
        const blocks = thoughts.map((one) =>
          'redacted' in one
            ? { type: 'redacted_thinking', data: one.redacted }
            : { type: 'thinking', ...one },
        );
        const content = [...blocks, { type: 'text', text: said }];
        const events = content.flatMap((one, index) => {
          if (!('signature' in one)) return [block(index, one), closed(index)];
          const { thinking, signature } = one;
          return [
            block(index, { type: 'thinking', thinking: '', signature: '' }),
            ...[...thinking].map((piece) => change(index, { type: 'thinking_delta', thinking: piece })),
            ...[...signature].map((piece) => change(index, { type: 'signature_delta', signature: piece })),
            closed(index),
          ];
        });
        const whole = partsOf(toReply({ content, stop_reason: 'end_turn' }, FOREIGN));
        const streamed = await collect(decode(FOREIGN, wire(START, ...events, END, STOP)));
        for (const parts of [whole, answerOf(streamed.flatMap((event) => event.parts ?? []))]) {
          const { body } = toRequest(foreignPayload(followUpOf(parts)), ROUTE, SIGNATURES);
          expect((body.messages as { content: unknown }[])[1]?.content).toEqual(content);
        }
      }),
      { numRuns: rounds(60) },
    );
  });

  it('return over Converse as they came, of a whole answer and of a streamed one', async () => {
    await fc.assert(
      fc.asyncProperty(THOUGHTS, words, async (thoughts, said) => {
        const onWire = thoughts.map((one) =>
          'redacted' in one
            ? { redactedContent: one.redacted }
            : { reasoningText: { text: one.thinking, signature: one.signature } },
        );
        const content = [...onWire.map((one) => ({ reasoningContent: one })), { text: said }];
        const answer = { output: { message: { role: 'assistant', content } }, stopReason: 'end_turn' };
        const whole = partsOf(
          await callFor({ headers: JSON_TYPE, body: [Buffer.from(JSON.stringify(answer))] }),
        );
        const events = onWire.flatMap((one, index) => {
          if ('redactedContent' in one) return [thought(index, one), stop(index)];
          const { text, signature } = one.reasoningText ?? { text: '', signature: '' };
          return [thought(index, { text }), thought(index, { signature }), stop(index)];
        });
        const ending = [textEvent(onWire.length, said), stop(onWire.length), end('end_turn')];
        const streamed = await outcome(framesOf([start, ...events, ...ending]));
        for (const parts of [whole, answerOf(streamed.parts)]) {
          const { request } = toConverseCall(
            foreignPayload(followUpOf(parts)).conversation(),
            ROUTE,
            SIGNATURES,
          );
          const sent = JSON.parse(JSON.stringify(request.messages?.[1]?.content, asBase64));
          expect(sent).toEqual(content);
        }
      }),
      { numRuns: rounds(40) },
    );
  });
});
