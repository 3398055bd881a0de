/** Any conversations, and those that hold to what every protocol asks: each call is answered in the next turn. */

import fc from 'fast-check';
import { EFFORTS } from '../../../core/catalog/dialect.ts';
import type { Conversation, ToolResultPart, Turn, UserPart } from '../../../core/upstream/conversation.ts';
import { sealRouteSignature } from '../../../providers/claude/route-signatures.ts';
import { SIGNATURES, signaturesFor } from '../sealing.ts';

const words = fc.oneof(fc.string(), fc.constantFrom('', ' ', '\n', 'Hi', 'Hi \n', '世界'));
const text = words.map((content) => ({ type: 'text', text: content }) as const);
const image = fc.constantFrom(
  { type: 'image', source: { kind: 'url', url: 'https://example.com/a.png' }, detail: 'low' } as const,
  { type: 'image', source: { kind: 'base64', mediaType: 'image/jpg', data: 'QUJD' } } as const,
);
const pdf = { kind: 'base64', mediaType: 'application/pdf', data: 'QUJD' } as const;
const document = fc.constantFrom(
  { type: 'document', source: pdf } as const,
  { type: 'document', source: pdf, name: 'a. b.pdf' } as const,
);
const id = fc.oneof(fc.string(), fc.constantFrom('call_0', 'call_1', 'functions.f:0', 'x'.repeat(80)));
const name = fc.oneof(fc.stringMatching(/^[a-zA-Z0-9_-]{1,20}$/), fc.constant('json_answer'));
const call = fc.record({
  type: fc.constant('tool-call' as const),
  id,
  name,
  arguments: fc.oneof(fc.json(), fc.string(), fc.constant('{"a":1}')),
});
const resultOf = (of: string): fc.Arbitrary<ToolResultPart> =>
  fc.record({
    type: fc.constant('tool-result' as const),
    id: fc.constant(of),
    content: fc.array(fc.oneof(text, image), { maxLength: 3 }),
    isError: fc.boolean(),
  });
/** Reasoning with the signature of this route, of another one, or without a signature. */
const reasoning = fc.record(
  {
    type: fc.constant('reasoning' as const),
    text: words,
    signature: fc.constantFrom(
      sealRouteSignature({ signature: 'EqQB' }, SIGNATURES),
      sealRouteSignature({ redacted: 'Emw=' }, SIGNATURES),
      sealRouteSignature({ signature: 'foreign' }, signaturesFor('sim-b')),
      'unsealed',
    ),
  },
  { requiredKeys: ['type', 'text'] },
);
const refusal = words.map((content) => ({ type: 'refusal', text: content }) as const);

const userParts = (...kinds: fc.Arbitrary<UserPart>[]) =>
  fc.array(fc.oneof(text, image, document, ...kinds), { maxLength: 4 });
const spoken = fc.array(fc.oneof(text, refusal, reasoning), { maxLength: 3 });

const anyTurn: fc.Arbitrary<Turn> = fc.oneof(
  userParts(id.chain(resultOf)).map((parts) => ({ role: 'user', parts }) as const),
  fc
    .array(fc.oneof(text, refusal, reasoning, call), { maxLength: 4 })
    .map((parts) => ({ role: 'assistant', parts }) as const),
);

/** A turn of calls, and turns that answer them all, in any order and number. */
const exchange: fc.Arbitrary<Turn[]> = fc
  .tuple(spoken, fc.array(call, { minLength: 1, maxLength: 3 }), fc.boolean())
  .chain(([content, calls, apart]) =>
    fc
      .tuple(fc.tuple(...calls.map((one) => resultOf(one.id))), userParts())
      .map(([results, fields]): Turn[] => [
        { role: 'assistant', parts: [...content, ...calls] },
        ...(apart
          ? [
              ...results.map((one): Turn => ({ role: 'user', parts: [one] })),
              { role: 'user' as const, parts: fields },
            ]
          : [{ role: 'user' as const, parts: [...fields, ...results] }]),
      ]),
  );
const soundTurns: fc.Arbitrary<Turn[]> = fc
  .array(
    fc.oneof(
      exchange,
      userParts().map((parts): Turn[] => [{ role: 'user', parts }]),
      spoken.map((parts): Turn[] => [{ role: 'assistant', parts }]),
    ),
    { maxLength: 6 },
  )
  .map((turns) => turns.flat());

const schema = fc.constantFrom(
  { type: 'object' },
  { type: 'object', properties: {}, additionalProperties: false },
  { type: 'object', properties: { n: { type: 'integer', minimum: 0 } }, additionalProperties: false },
);
const tools = fc.uniqueArray(
  fc.record({ name, parameters: fc.oneof(fc.constant({}), schema), strict: fc.boolean() }),
  { maxLength: 3, selector: (tool) => tool.name },
);

function conversations(turns: fc.Arbitrary<readonly Turn[]>): fc.Arbitrary<Conversation> {
  return fc
    .record(
      {
        system: fc.array(words, { maxLength: 3 }),
        turns,
        tools,
        parallelToolCalls: fc.boolean(),
        format: fc.oneof(
          fc.constant({ type: 'json' } as const),
          schema.map((one) => ({ type: 'json-schema', schema: one }) as const),
        ),
        reasoning: fc.record(
          { effort: fc.constantFrom(...EFFORTS), maxTokens: fc.nat(9_000) },
          { requiredKeys: [] },
        ),
        maxTokens: fc.constantFrom(256, 8_000),
        temperature: fc.double({ min: 0, max: 2, noNaN: true }),
        topP: fc.double({ min: 0, max: 1, noNaN: true }),
        stop: fc.array(words, { maxLength: 3 }),
        user: fc.string({ maxLength: 300 }),
        safetyIdentifier: fc.string({ maxLength: 300 }),
        promptCacheKey: fc.string({ maxLength: 300 }),
      },
      { requiredKeys: ['system', 'turns', 'tools', 'maxTokens', 'stop'] },
    )
    .chain((base) => choiceFor(base).map((choice) => ({ ...base, ...choice }) as Conversation));
}

/** A choice that the conversation's own tools allow. */
function choiceFor(base: { readonly tools: readonly { readonly name: string }[] }) {
  const names = base.tools.map((tool) => tool.name);
  return fc.constantFrom(
    {},
    { toolChoice: { type: 'auto' } },
    { toolChoice: { type: 'none' } },
    ...(names.length === 0 ? [] : [{ toolChoice: { type: 'any' } }]),
    ...names.map((one) => ({ toolChoice: { type: 'tool', name: one } })),
  );
}

/** The ways in which routes ask Claude to think. */
export const anyMode = fc.constantFrom(
  {},
  { dialect: { reasoning_request: 'budget' } } as const,
  { dialect: { reasoning_request: 'adaptive' } } as const,
  { dialect: { reasoning_request: 'effort' } } as const,
);

export const anyConversation = conversations(fc.array(anyTurn, { maxLength: 6 }));
export const soundConversation = conversations(soundTurns);
