import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../../tools/test-kit/search.ts';
import { rounds } from '../../../../tools/test-kit/thorough.ts';
import type {
  AssistantOutput,
  AssistantPart,
  Conversation,
  StreamPart,
} from '../../core/upstream/conversation.ts';
import type { RouteResponse } from '../../core/upstream/provider.ts';
import {
  block,
  change,
  closed,
  decode,
  FINAL_EVENT,
  START,
  STOP,
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
import { collect, wire } from '../../testing/providers/streams.ts';
import { assistant, user } from '../../testing/providers/turns.ts';
import { toRequest } from '../anthropic/request.ts';
import { toRouteResponse } from '../anthropic/response.ts';
import { toConverseCall } from '../bedrock/request.ts';

const ROUTE = { upstream_model: 'anthropic.claude', reasoning: false };

const words = fc.string({ minLength: 1 }).filter((word) => word.trim() !== '');
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

const partsOf = (response: RouteResponse): AssistantOutput['parts'] => {
  if (response.kind !== 'json' || !('output' in response.completeResponse))
    throw new Error('not a whole reply');
  return response.completeResponse.output.parts;
};

/** The answer that the parts of a stream make. */
function assistantPartsOf(parts: readonly StreamPart[]): AssistantPart[] {
  const open = new Map<number, { type: string; text: string; signature?: string }>();
  for (const part of parts) {
    if (part.type === 'start') open.set(part.index, { type: part.content.type, text: '' });
    const openPart = 'index' in part ? open.get(part.index) : undefined;
    if (openPart === undefined) continue;
    if (part.type === 'delta') openPart.text += part.text;
    if (part.type === 'end' && part.signature !== undefined) openPart.signature = part.signature;
  }
  return [...open.values()] as AssistantPart[];
}

/** The conversation that goes on with an answer. */
const followUpOf = (parts: readonly AssistantPart[]): Partial<Conversation> => ({
  turns: [user('a'), assistant(...parts), user('c')],
});

/** Bytes as the wire has them: a replacer of JSON, which gets them as Node writes them. */
const asBase64 = (_name: string, value: unknown): unknown => {
  const { type, data } = Object(value) as { readonly type?: unknown; readonly data?: readonly number[] };
  return type === 'Buffer' ? Buffer.from(data ?? []).toString('base64') : value;
};

describe('the reasoning of a response', () => {
  it('returns unchanged over the Messages protocol, from a complete response and from a streamed one', async () => {
    await fc.assert(
      fc.asyncProperty(THOUGHTS, words, async (thoughts, word) => {
        const blocks = thoughts.map((one) =>
          'redacted' in one
            ? { type: 'redacted_thinking', data: one.redacted }
            : { type: 'thinking', ...one },
        );
        const content = [...blocks, { type: 'text', text: word }];
        const events = content.flatMap((one, index) => {
          if (!('signature' in one)) return [block(index, one), closed(index)];
          const { thinking, signature } = one;
          return [
            block(index, { type: 'thinking', thinking: '', signature: '' }),
            ...[...thinking].map((fragment) => change(index, { type: 'thinking_delta', thinking: fragment })),
            ...[...signature].map((fragment) =>
              change(index, { type: 'signature_delta', signature: fragment }),
            ),
            closed(index),
          ];
        });
        const completeParts = partsOf(toRouteResponse({ content, stop_reason: 'end_turn' }, FOREIGN));
        const streamed = await collect(decode(FOREIGN, wire(START, ...events, FINAL_EVENT, STOP)));
        for (const parts of [
          completeParts,
          assistantPartsOf(streamed.flatMap((event) => event.parts ?? [])),
        ]) {
          const { body } = toRequest(foreignPayload(followUpOf(parts)), ROUTE, SIGNATURES);
          expect((body.messages as { content: unknown }[])[1]?.content).toEqual(content);
        }
      }),
      { numRuns: rounds(60) },
    );
  });

  it('returns unchanged over Converse, from a complete response and from a streamed one', async () => {
    await fc.assert(
      fc.asyncProperty(THOUGHTS, words, async (thoughts, word) => {
        const onWire = thoughts.map((one) =>
          'redacted' in one
            ? { redactedContent: one.redacted }
            : { reasoningText: { text: one.thinking, signature: one.signature } },
        );
        const content = [...onWire.map((one) => ({ reasoningContent: one })), { text: word }];
        const body = { output: { message: { role: 'assistant', content } }, stopReason: 'end_turn' };
        const completeParts = partsOf(
          await callFor({ headers: JSON_TYPE, body: [Buffer.from(JSON.stringify(body))] }),
        );
        const events = onWire.flatMap((one, index) => {
          if ('redactedContent' in one) return [thought(index, one), stop(index)];
          const { text, signature } = one.reasoningText ?? { text: '', signature: '' };
          return [thought(index, { text }), thought(index, { signature }), stop(index)];
        });
        const ending = [textEvent(onWire.length, word), stop(onWire.length), end('end_turn')];
        const streamed = await outcome(framesOf([start, ...events, ...ending]));
        for (const parts of [completeParts, assistantPartsOf(streamed.parts)]) {
          const { request } = toConverseCall(
            foreignPayload(followUpOf(parts)).conversation(),
            ROUTE,
            SIGNATURES,
          );
          const sentContent = JSON.parse(JSON.stringify(request.messages?.[1]?.content, asBase64));
          expect(sentContent).toEqual(content);
        }
      }),
      { numRuns: rounds(40) },
    );
  });
});
