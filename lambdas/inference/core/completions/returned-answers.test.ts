import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../../tools/test-kit/search.ts';
import { rounds } from '../../../../tools/test-kit/thorough.ts';
import { validate } from '../../../platform/core/json/json-body.ts';
import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import { toPayload as chatPayload } from '../../formats/chat/payload.ts';
import { chatWriter } from '../../formats/chat/reply.ts';
import { chatCompletionRequest } from '../../formats/chat/schema.ts';
import { toPayload as messagesPayload } from '../../formats/messages/payload.ts';
import { messagesWriter } from '../../formats/messages/reply.ts';
import { messagesRequest } from '../../formats/messages/schema.ts';
import { createCapsules } from '../../store/capsules.ts';
import { accumulated } from '../../testing/completions/messages/accumulated.ts';
import { partsOf, type Step } from '../../testing/upstream/stream-script.ts';
import { signaturesOf } from '../upstream/capsules.ts';
import type { AssistantPart, Finish } from '../upstream/conversation.ts';

const NOW_MS = Date.UTC(2026, 6, 15);
const capsulesOf = createCapsules({ current: 'pepper' }, () => NOW_MS);
const capsules = capsulesOf('acc_1');
const IDENTITY = { id: 'answer_1', model: 'a/b' };
const USAGE = { promptTokens: 1, cachedTokens: 0, completionTokens: 1 };
const FINISH: Finish = { reason: 'tool-calls', raw: 'tool_use' };

const text = fc.string({ minLength: 1 }).map((words) => `.${words}.`);
const signature = fc.nat(9).map((proof) => signaturesOf(capsules, 'r').seal(String(proof)));
const said = fc.record({ type: fc.constant('text' as const), text });
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
const lastSaid = (turns: readonly { readonly role: string; readonly parts: unknown }[]) =>
  turns.find(({ role }) => role === 'assistant')?.parts;

function throughChat(message: JsonObject) {
  const user = { role: 'user', content: 'Hi' };
  const given = JSON.parse(JSON.stringify({ model: 'a/b', messages: [user, message, user] }));
  return lastSaid(chatPayload(validate(chatCompletionRequest, given), capsules).conversation().turns);
}

function throughMessages(content: unknown, opened = capsules) {
  const user = { role: 'user', content: 'Hi' };
  const messages = [user, { role: 'assistant', content }, user];
  const given = JSON.parse(JSON.stringify({ model: 'a/b', max_tokens: 9, messages }));
  return lastSaid(messagesPayload(validate(messagesRequest, given), opened).conversation().turns);
}

/** Returns the message that a client assembles from chunks: joined texts, collected lists, and calls by their index. */
function gathered(chunks: readonly JsonObject[]): JsonObject {
  const message: Record<string, unknown> = {};
  const calls: { id: string; function: { name: string; arguments: string } }[] = [];
  for (const { choices } of chunks as { choices: { delta: Record<string, unknown> }[] }[]) {
    const { tool_calls: deltas, reasoning_details: details, role, ...texts } = choices[0]?.delta ?? {};
    if (role !== undefined) message.role = role;
    for (const [field, piece] of Object.entries(texts))
      message[field] = `${message[field] ?? ''}${String(piece)}`;
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
const chatAnswer = fc
  .record({
    first: fc.array(thought, { maxLength: 2 }),
    text: said,
    calls: fc.uniqueArray(fc.tuple(fc.array(thought, { maxLength: 2 }), call), {
      maxLength: 3,
      selector: ([, { id }]) => id,
    }),
  })
  .map(({ first, text: words, calls }): AssistantPart[] => [
    ...first,
    words,
    ...calls.flatMap(([thoughts, made]) => [...thoughts, made]),
  ]);

const anyAnswer = fc.array(fc.oneof(said, thought, call), { minLength: 1, maxLength: 6 });

describe('an answer that its caller sends back', () => {
  it('keeps its parts, with reasoning and signatures, in chat', () => {
    fc.assert(
      fc.property(chatAnswer, (parts) => {
        const writer = () => chatWriter({ identity: IDENTITY, createdMs: NOW_MS });
        const whole = JSON.parse(writer().whole({ reply: { parts, finish: FINISH } }, USAGE));
        expect(throughChat(whole.choices[0].message)).toEqual(parts);
        const made = writer();
        const chunks = partsOf(stepsOf(parts)).flatMap((part) => made.part(part));
        expect(throughChat(gathered(chunks))).toEqual(parts);
      }),
      { numRuns: rounds(100) },
    );
  });

  it('keeps its parts, in any order, in Messages', async () => {
    await fc.assert(
      fc.asyncProperty(anyAnswer, async (parts) => {
        const writer = () => messagesWriter({ identity: IDENTITY, promptTokens: () => 0 });
        const whole = JSON.parse(writer().whole({ reply: { parts, finish: FINISH } }, USAGE));
        expect(throughMessages(whole.content)).toEqual(parts);
        const made = writer();
        const frames = partsOf(stepsOf(parts))
          .flatMap((part) => made.part(part))
          .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
        expect(throughMessages((await accumulated(frames)).content)).toEqual(parts);
      }),
      { numRuns: rounds(50) },
    );
  });

  it('fails if a signature in it was changed or belongs to another account, and passes with a foreign signature', () => {
    const sealed = signaturesOf(capsules, 'r').seal('proof');
    const content = (given: string) => [{ type: 'thinking', thinking: 'Hm.', signature: given }];
    const wrong = {
      code: 'invalid_capsule',
      options: { param: 'messages[1].content[0].signature' },
    };
    expect(throughMessages(content(sealed))).toHaveLength(1);
    const changed = `${sealed.slice(0, -2)}${sealed.at(-2) === 'A' ? 'B' : 'A'}${sealed.at(-1)}`;
    expect(() => throughMessages(content(changed))).toThrow(expect.objectContaining({ code: wrong.code }));
    expect(() => throughMessages(content(sealed), capsulesOf('acc_2'))).toThrow(
      expect.objectContaining({ code: wrong.code }),
    );
    expect(throughMessages(content('ErUB'))).toEqual([{ type: 'reasoning', text: 'Hm.', signature: 'ErUB' }]);
    const detail = { type: 'reasoning.encrypted', data: changed };
    expect(() => throughChat({ role: 'assistant', content: 'a', reasoning_details: [detail] })).toThrow(
      expect.objectContaining({ code: wrong.code }),
    );
  });
});
