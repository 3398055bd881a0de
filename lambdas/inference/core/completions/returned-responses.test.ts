import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../../tools/test-kit/search.ts';
import { rounds } from '../../../../tools/test-kit/thorough.ts';
import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import { chatWriter } from '../../formats/chat/response-writer.ts';
import { messagesWriter } from '../../formats/messages/response-writer.ts';
import { createSealedTokens } from '../../store/sealed-tokens.ts';
import { accumulated } from '../../testing/completions/messages/accumulated.ts';
import { chatPayloadOf, messagesPayloadOf } from '../../testing/completions/payloads.ts';
import { partsOf, type Step } from '../../testing/upstream/stream-script.ts';
import type { AssistantPart, Finish } from '../upstream/conversation.ts';
import { signaturesOf } from '../upstream/sealed-tokens.ts';

const NOW_MS = Date.UTC(2026, 6, 15);
const sealedTokensOf = createSealedTokens({ current: 'pepper' }, () => NOW_MS);
const sealedTokens = sealedTokensOf('acc_1');
const IDENTITY = { id: 'answer_1', model: 'a/b' };
const USAGE = { promptTokens: 1, cachedTokens: 0, completionTokens: 1 };
const FINISH: Finish = { reason: 'tool-calls', raw: 'tool_use' };

const text = fc.string({ minLength: 1 }).map((words) => `.${words}.`);
const signature = fc
  .nat(9)
  .map((signatureText) => signaturesOf(sealedTokens, 'r').seal(String(signatureText)));
const textPart = fc.record({ type: fc.constant('text' as const), text });
const thought = fc.oneof(
  fc.record({ type: fc.constant('reasoning' as const), text, signature }),
  fc.record({ type: fc.constant('reasoning' as const), text: fc.constant(''), signature }),
);
const call = fc.nat(1_000_000).map((at) => ({
  type: 'tool-call' as const,
  id: `call_${at}`,
  name: 'f',
  arguments: `{"n":${at}}`,
}));

const stepsOf = (parts: readonly AssistantPart[]): Step[] => [
  ...parts.flatMap((part, at): Step[] => {
    if (part.type === 'text') return [{ says: part.text }, 'ends text'];
    if (part.type === 'reasoning') return [{ thinks: part.text }, { signs: part.signature ?? '' }];
    if (part.type === 'refusal') return [{ refuses: part.text }];
    return [{ calls: at, id: part.id, name: part.name }, { adds: part.arguments, to: at }, { ends: at }];
  }),
  { finishes: FINISH },
];

/** The assistant's parts of a conversation that goes on after its answer. */
const lastTurn = (turns: readonly { readonly role: string; readonly parts: unknown }[]) =>
  turns.find(({ role }) => role === 'assistant')?.parts;

const USER = { role: 'user', content: 'Hi' };

const throughChat = (message: JsonObject) =>
  lastTurn(chatPayloadOf({ messages: [USER, message, USER] }, sealedTokens).conversation().turns);

const throughMessages = (content: unknown, opened = sealedTokens) =>
  lastTurn(
    messagesPayloadOf({ messages: [USER, { role: 'assistant', content }, USER] }, opened).conversation()
      .turns,
  );

/** Returns the message that a client assembles from chunks: joined texts, collected lists, and calls by their index. */
function gathered(chunks: readonly JsonObject[]): JsonObject {
  const message: Record<string, unknown> = {};
  const calls: { id: string; function: { name: string; arguments: string } }[] = [];
  for (const { choices } of chunks as { choices: { delta: Record<string, unknown> }[] }[]) {
    const { tool_calls: deltas, reasoning_details: details, role, ...texts } = choices[0]?.delta ?? {};
    if (role !== undefined) message.role = role;
    for (const [field, fragment] of Object.entries(texts))
      message[field] = `${message[field] ?? ''}${String(fragment)}`;
    if (details !== undefined)
      message.reasoning_details = [
        ...((message.reasoning_details ?? []) as unknown[]),
        ...(details as unknown[]),
      ];
    for (const { index, ...given } of (deltas ?? []) as ((typeof calls)[number] & { index: number })[]) {
      const open = calls[index];
      if (open === undefined) calls[index] = structuredClone(given);
      else open.function.arguments += given.function.arguments;
    }
  }
  return calls.length === 0 ? message : { ...message, tool_calls: calls };
}

/** Thoughts before the text, or each directly before a call: what a chat message can say. */
const chatParts = fc
  .record({
    first: fc.array(thought, { maxLength: 2 }),
    text: textPart,
    calls: fc.uniqueArray(fc.tuple(fc.array(thought, { maxLength: 2 }), call), {
      maxLength: 3,
      selector: ([, { id }]) => id,
    }),
  })
  .map(({ first, text: words, calls }): AssistantPart[] => [
    ...first,
    words,
    ...calls.flatMap(([thoughts, toolCall]) => [...thoughts, toolCall]),
  ]);

const anyParts = fc.array(fc.oneof(textPart, thought, call), { minLength: 1, maxLength: 6 });

describe('a response that its caller sends back', () => {
  it('preserves its content parts, with reasoning and signatures, in chat', () => {
    fc.assert(
      fc.property(chatParts, (parts) => {
        const writer = () => chatWriter({ identity: IDENTITY, createdMs: NOW_MS });
        const message = JSON.parse(writer().body({ output: { parts, finish: FINISH } }, USAGE));
        expect(throughChat(message.choices[0].message)).toEqual(parts);
        const toolCall = writer();
        const chunks = partsOf(stepsOf(parts)).flatMap((part) => toolCall.events(part));
        expect(throughChat(gathered(chunks))).toEqual(parts);
      }),
      { numRuns: rounds(100) },
    );
  });

  it('preserves its content parts, in any order, in Messages', async () => {
    await fc.assert(
      fc.asyncProperty(anyParts, async (parts) => {
        const writer = () => messagesWriter({ identity: IDENTITY, promptTokens: () => 0 });
        const message = JSON.parse(writer().body({ output: { parts, finish: FINISH } }, USAGE));
        expect(throughMessages(message.content)).toEqual(parts);
        const toolCall = writer();
        const sseEvents = partsOf(stepsOf(parts))
          .flatMap((part) => toolCall.events(part))
          .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
        expect(throughMessages((await accumulated(sseEvents)).content)).toEqual(parts);
      }),
      { numRuns: rounds(50) },
    );
  });

  it('fails if a signature in it was changed or belongs to another account, and passes with a foreign signature', () => {
    const sealed = signaturesOf(sealedTokens, 'r').seal('proof');
    const content = (request: string) => [{ type: 'thinking', thinking: 'Hm.', signature: request }];
    const refusal = expect.objectContaining({ code: 'invalid_capsule' });
    expect(throughMessages(content(sealed))).toHaveLength(1);
    const changed = `${sealed.slice(0, -2)}${sealed.at(-2) === 'A' ? 'B' : 'A'}${sealed.at(-1)}`;
    expect(() => throughMessages(content(changed))).toThrow(refusal);
    expect(() => throughMessages(content(sealed), sealedTokensOf('acc_2'))).toThrow(refusal);
    expect(throughMessages(content('ErUB'))).toEqual([{ type: 'reasoning', text: 'Hm.', signature: 'ErUB' }]);
    const detail = { type: 'reasoning.encrypted', data: changed };
    const message = { role: 'assistant', content: 'a', reasoning_details: [detail] };
    expect(() => throughChat(message)).toThrow(refusal);
  });
});
