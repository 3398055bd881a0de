import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../tools/test-kit/search.ts';
import { rounds } from '../../../tools/test-kit/thorough.ts';
import { toRequest } from '../providers/anthropic/request.ts';
import { toRequestBody } from '../providers/openai/request.ts';
import { toRequestBody as toResponsesBody } from '../providers/responses/request.ts';
import { chatPayloadOf, messagesPayloadOf } from '../testing/completions/payloads.ts';
import { payloadOf as responsesPayloadOf } from '../testing/completions/responses/requests.ts';
import { capabilitiesOf, featuresOf } from '../testing/fields/needs.ts';
import { NO_FIELDS } from '../testing/fields/no-fields.ts';
import { SIGNATURES } from '../testing/providers/sealing.ts';
import { NO_SEALED_TOKENS } from '../testing/upstream/no-sealed-tokens.ts';
import { systemOf } from './upstream/cache-breakpoints.ts';
import {
  type AssistantPart,
  CACHE_LIFETIMES,
  type CacheLifetime,
  type Conversation,
  type ImagePart,
  type OutputFormat,
  type TextPart,
  type Tool,
  type ToolChoice,
  type Turn,
  type UserPart,
} from './upstream/conversation.ts';
import type { ChatPayload } from './upstream/provider.ts';

const ROUTE = { upstream_model: 'a/b', reasoning: false };

/** A payload that is this conversation, from a caller of a protocol that is not the route's. */
const payloadOf = (conversation: Conversation, protocol: ChatPayload['protocol']): ChatPayload => ({
  protocol,
  body: {},
  conversation: () => conversation,
  stream: false,
  fields: NO_FIELDS,
});

/** Returns the payload of a chat route for the conversation, read again as a request of a chat caller. */
const throughChat = (conversation: Conversation): ChatPayload =>
  chatPayloadOf(toRequestBody(payloadOf(conversation, 'anthropic'), ROUTE, SIGNATURES));

/** The same for the Messages protocol. */
const throughMessages = (conversation: Conversation): ChatPayload =>
  messagesPayloadOf(toRequest(payloadOf(conversation, 'openai'), ROUTE, SIGNATURES).body);

/** The same for Responses, which has no word for stop sequences. */
const throughResponses = (conversation: Conversation): ChatPayload =>
  responsesPayloadOf(toResponsesBody(payloadOf(conversation, 'openai'), ROUTE, SIGNATURES), NO_SEALED_TOKENS);

const word = fc.stringMatching(/^[a-zA-Z0-9_-]{1,12}$/);
const words = fc.string({ minLength: 1 }).map((text) => `.${text}.`);
const text = words.map((value): TextPart => ({ type: 'text', text: value }));

const image = fc
  .constantFrom<ImagePart['source'][]>(
    { kind: 'url', url: 'https://example.com/a.png' },
    { kind: 'base64', mediaType: 'image/webp', data: 'aGk=' },
  )
  .map((source): ImagePart => ({ type: 'image', source }));

const argumentsText = fc.oneof(
  fc.constant('{}'),
  fc.constant('{"n":12345678901234567890,"x":[0.12345678901234568]}'),
  fc
    .dictionary(fc.string(), fc.jsonValue())
    .map((value) => JSON.stringify(JSON.parse(JSON.stringify(value)))),
);

const call = fc.record({
  name: word,
  arguments: argumentsText,
  result: fc.array(text, { minLength: 1, maxLength: 2 }),
});

interface Round {
  readonly said: readonly (TextPart | ImagePart)[];
  readonly output: readonly TextPart[];
  readonly calls: readonly {
    readonly name: string;
    readonly arguments: string;
    readonly result: readonly TextPart[];
  }[];
}

const round: fc.Arbitrary<Round> = fc.record({
  said: fc.array(fc.oneof(text, image), { minLength: 1, maxLength: 3 }),
  output: fc.array(text, { minLength: 1, maxLength: 2 }),
  calls: fc.array(call, { maxLength: 3 }),
});

/** Each round a user's words and the answer; the results of its calls open the next turn, or are the last. */
function toTurns(rounds: readonly Round[], closing: readonly TextPart[]): Turn[] {
  const turns: Turn[] = [];
  let results: readonly UserPart[] = [];
  for (const [index, { said, output, calls }] of rounds.entries()) {
    const toolCalls = calls.map(({ name, arguments: original }, resultIndex): AssistantPart => {
      return { type: 'tool-call', id: `call_${index}_${resultIndex}`, name, arguments: original };
    });
    turns.push(
      { role: 'user', parts: [...results, ...said] },
      { role: 'assistant', parts: [...output, ...toolCalls] },
    );
    results = calls.map(({ result }, resultIndex) => {
      return { type: 'tool-result', id: `call_${index}_${resultIndex}`, content: result, isError: false };
    });
  }
  return [...turns, { role: 'user', parts: [...results, ...closing] }];
}

const parameters = fc.constantFrom(
  { type: 'object' },
  { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
);

const tool: fc.Arbitrary<Tool> = fc.record(
  { name: word, parameters, description: words },
  {
    requiredKeys: ['name', 'parameters'],
  },
);

const format = fc.constant<OutputFormat>({
  type: 'json-schema',
  schema: {
    type: 'object',
    properties: { a: { type: 'string' } },
    required: ['a'],
    additionalProperties: false,
  },
});

const choiceOf = (name: string): fc.Arbitrary<ToolChoice> =>
  fc.constantFrom<ToolChoice[]>({ type: 'auto' }, { type: 'any' }, { type: 'none' }, { type: 'tool', name });

/** Temperature beside `topP` is what one of them cannot say; without, the surfaces have the same default. */
const sampling = fc.oneof(
  fc.constant({ temperature: 0.7 }),
  fc.double({ min: 0, max: 1, noNaN: true }).map((temperature) => ({ temperature: temperature + 0 })),
  fc.double({ min: 0, max: 0.99, noNaN: true }).map((topP) => ({ temperature: 0.7, topP: topP + 0 })),
);

/** Everything that both protocols can say. A conversation with calls declares its tools. */
const conversation: fc.Arbitrary<Conversation> = fc
  .record({
    system: fc.array(words, { maxLength: 2 }),
    turns: fc
      .tuple(fc.array(round, { maxLength: 3 }), fc.array(text, { minLength: 1, maxLength: 2 }))
      .map(([rounds, closing]) => toTurns(rounds, closing)),
    tools: fc.uniqueArray(tool, { minLength: 1, maxLength: 3, selector: ({ name }) => name }),
    maxTokens: fc.integer({ min: 1, max: 100_000 }),
    stop: fc.array(words, { maxLength: 3 }),
    sampling,
    extras: fc.record({ user: words, format }, { requiredKeys: [] }),
  })
  .chain(({ sampling: drawn, extras, ...base }) =>
    fc
      .record(
        { toolChoice: choiceOf(base.tools[0]?.name ?? ''), single: fc.boolean() },
        { requiredKeys: ['single'] },
      )
      .map(({ toolChoice, single }): Conversation => {
        const isSingle = single && toolChoice !== undefined && toolChoice.type !== 'none';
        return {
          ...base,
          ...drawn,
          ...extras,
          ...(toolChoice === undefined ? {} : { toolChoice }),
          ...(isSingle ? { parallelToolCalls: false } : {}),
        };
      }),
  );

/**
 * Neighbours of one role say the same as one turn; not every protocol has a name for a schema, and only in Responses a
 * tool that says nothing of it is strict.
 */
function canonical({ turns, format: responseFormat, tools: original, ...rest }: Conversation): Conversation {
  const tools = original.map(({ strict, ...tool }) => (strict === true ? { ...tool, strict } : tool));
  const merged: Turn[] = [];
  for (const turn of turns) {
    const last = merged.at(-1);
    if (last?.role === turn.role)
      merged[merged.length - 1] = { role: turn.role, parts: [...last.parts, ...turn.parts] } as Turn;
    else merged.push(turn);
  }
  const schema =
    responseFormat?.type === 'json-schema'
      ? { type: responseFormat.type, schema: responseFormat.schema }
      : responseFormat;
  return { ...rest, tools, turns: merged, ...(schema === undefined ? {} : { format: schema }) };
}

/** The conversation with marks for a cache on some of what can be marked, by its place in the prompt. */
function withBreakpointsAt(
  original: Conversation,
  positions: readonly number[],
  cache: CacheLifetime,
): Conversation {
  let resultIndex = 0;
  const nextCache = () => (positions.includes(resultIndex++) ? { cache } : {});
  const tools = original.tools.map((tool) => ({ ...tool, ...nextCache() }));
  const system = systemOf(original.system.map((text) => ({ text, ...nextCache() })));
  const turns = original.turns.map(
    ({ role, parts }) => ({ role, parts: [...parts].map((part) => ({ ...part, ...nextCache() })) }) as Turn,
  );
  return { ...original, ...system, tools, turns };
}

const cachedConversation = fc
  .tuple(
    conversation,
    fc.uniqueArray(fc.nat({ max: 12 }), { maxLength: 4 }),
    fc.constantFrom(...CACHE_LIFETIMES),
  )
  .map(([original, positions, cache]) => withBreakpointsAt(original, positions, cache));

/** Returns the part of a conversation that Responses can express: one text of instructions, and no stop sequences. */
const sayable = (original: Conversation): Conversation => ({
  ...original,
  system: original.system.slice(0, 1),
  stop: [],
});

/** Returns the conversation with what only chat and Responses can express. */
const ofOpenAi = (original: Conversation): Conversation => ({
  ...sayable(original),
  safetyIdentifier: 'a hash of a user',
  promptCacheKey: 'a thread',
  turns: original.turns.map(
    ({ role, parts }) =>
      ({
        role,
        parts: parts.map((part) => (part.type === 'image' ? { ...part, detail: 'original' } : part)),
      }) as Turn,
  ),
});

describe('the content of any conversation', () => {
  it.each<[string, (original: Conversation) => ChatPayload]>([
    ['chat', throughChat],
    ['Responses', throughResponses],
    ['chat and then Responses', (original) => throughResponses(throughChat(original).conversation())],
    ['Responses and then chat', (original) => throughChat(throughResponses(original).conversation())],
  ])('stays the same through %s if only chat and Responses can express it', (_walk, walk) => {
    fc.assert(
      fc.property(conversation.map(ofOpenAi), (original) => {
        expect(canonical(walk(original).conversation())).toEqual(canonical(original));
      }),
      { numRuns: rounds(20) },
    );
  });

  it.each<[string, (original: Conversation) => ChatPayload]>([
    ['Responses', throughResponses],
    ['chat and then Responses', (original) => throughResponses(throughChat(original).conversation())],
    ['Responses and then Messages', (original) => throughMessages(throughResponses(original).conversation())],
    [
      'Responses, chat and Responses',
      (original) => throughResponses(throughChat(throughResponses(original).conversation()).conversation()),
    ],
  ])('stays the same through %s if Responses can express it too', (_walk, walk) => {
    fc.assert(
      fc.property(conversation.map(sayable), (original) => {
        expect(canonical(walk(original).conversation())).toEqual(canonical(original));
      }),
      { numRuns: rounds(40) },
    );
  });

  it.each<[string, (original: Conversation) => ChatPayload]>([
    ['chat', throughChat],
    ['Messages', throughMessages],
    ['chat and then Messages', (original) => throughMessages(throughChat(original).conversation())],
    ['Messages and then chat', (original) => throughChat(throughMessages(original).conversation())],
  ])('stays the same through %s if chat and Messages can express it', (_walk, walk) => {
    fc.assert(
      fc.property(conversation, (original) => {
        expect(canonical(walk(original).conversation())).toEqual(canonical(original));
      }),
      { numRuns: rounds(50) },
    );
  });

  it('retains its cache breakpoints through Messages', () => {
    fc.assert(
      fc.property(cachedConversation, (original) => {
        expect(canonical(throughMessages(original).conversation())).toEqual(canonical(original));
      }),
      { numRuns: rounds(50) },
    );
  });

  it('requires the same capabilities of a route of either protocol', () => {
    fc.assert(
      fc.property(conversation, (original) => {
        const [chat, messages] = [throughChat(original), throughMessages(original)];
        expect(capabilitiesOf(chat).sort()).toEqual(capabilitiesOf(messages).sort());
        expect(featuresOf(chat).sort()).toEqual(featuresOf(messages).sort());
      }),
      { numRuns: rounds(40) },
    );
  });
});
