import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { encode as encodeCl100k } from 'gpt-tokenizer/encoding/cl100k_base';
import { encode as encodeO200k } from 'gpt-tokenizer/encoding/o200k_base';
import { growthOf, MAX_RATIO } from '../../../../tools/test-kit/growth.ts';
import { it } from '../../../../tools/test-kit/search.ts';
import { rounds } from '../../../../tools/test-kit/thorough.ts';
import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import { rawJson } from '../../../platform/core/json/lossless-json.ts';
import { chatFormat } from '../../formats/chat/format.ts';
import type { ChatRequest } from '../../formats/chat/request.ts';
import { chatCompletionRequest } from '../../formats/chat/schema.ts';
import { messagesFormat } from '../../formats/messages/format.ts';
import type { MessagesRequest } from '../../formats/messages/request.ts';
import { messagesRequest } from '../../formats/messages/schema.ts';
import { responsesFormat } from '../../formats/responses/format.ts';
import { responsesRequest } from '../../formats/responses/schema.ts';
import { toRequest as toAnthropic } from '../../providers/anthropic/request.ts';
import { toConverseCall } from '../../providers/bedrock/request.ts';
import { toRequestBody as toGemini } from '../../providers/gemini/request.ts';
import { toRequestBody as toOpenAi } from '../../providers/openai/request.ts';
import { toRequestBody as toResponses } from '../../providers/responses/request.ts';
import { LINKED, PNG } from '../../testing/completions/messages/request-fixture.ts';
import { featuresOf } from '../../testing/fields/needs.ts';
import { SIGNATURES } from '../../testing/providers/sealing.ts';
import { NO_SEALED_TOKENS } from '../../testing/upstream/no-sealed-tokens.ts';
import type { CatalogRoute } from '../catalog/catalog-document.ts';
import { type ChatPayload, UpstreamFailure } from '../upstream/provider.ts';
import { PromptTokens, probableTokens } from './estimate.ts';
import { promptSizeOf } from './prompt-size.ts';

/** Nothing before the prompt either: it would hide what a bound leaves out. */
const NO_LIMITS = { hidden_tokens: 0, routes: [] };

/** The bodies that would leave for a route of each protocol. */
function bodiesOf(payload: ChatPayload, reasoning: boolean): unknown[] {
  const route = { upstream_model: 'm', reasoning } as CatalogRoute;
  const withoutUrls = (write: () => unknown) => {
    try {
      return write();
    } catch (failure) {
      if (failure instanceof UpstreamFailure) return {};
      throw failure;
    }
  };
  const responses = toResponses(payload, route, SIGNATURES);
  if (featuresOf(payload).includes('responses-items')) return [responses];
  const isMessagesOnly = featuresOf(payload).includes('messages-blocks');
  if (isMessagesOnly) return [toAnthropic(payload, route, SIGNATURES).body];
  const { body } = toAnthropic(payload, route, SIGNATURES);
  return [
    toOpenAi(payload, route, SIGNATURES),
    responses,
    body,
    withoutUrls(() => toConverseCall(payload.conversation(), route, SIGNATURES).request),
    withoutUrls(() => toGemini(payload.conversation(), route, SIGNATURES)),
  ];
}

/** Stands for every text and name of the caller, so that what remains is the words of the protocols. */
const MARK = 'MARK';
let isMarked = false;
const ofCaller = (texts: fc.Arbitrary<string>, mark = MARK) => texts.map((text) => (isMarked ? mark : text));

/** Every text and name in a body but the bytes of images. */
function allStringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (value instanceof Uint8Array || typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap(allStringsIn);
  return Object.entries(value).flatMap(([name, inner]) => [name, ...allStringsIn(inner)]);
}

/** The texts and names that the protocols add, and images. */
function readProtocolWords(): ReadonlySet<string> {
  isMarked = true;
  const samples = Object.values(payloads).flatMap((payload) => fc.sample(payload, { numRuns: 500, seed: 1 }));
  isMarked = false;
  const bodies = samples.flatMap((sample) => [...bodiesOf(sample, false), ...bodiesOf(sample, true)]);
  const isOwn = (text: string) => !text.includes(MARK) && !text.startsWith('https:');
  return new Set(allStringsIn(bodies).filter(isOwn));
}

let protocolWords: ReadonlySet<string> | undefined;

/** Returns the texts and names in a body that are the caller's. */
function stringsIn(body: unknown): string[] {
  protocolWords ??= readProtocolWords();
  const known = protocolWords;
  return allStringsIn(body).filter((text) => !known.has(text));
}

const count = (texts: readonly string[], encode: (text: string) => number[]): number =>
  texts.reduce((sum, text) => sum + encode(text).length, 0);

/** The most tokens of the texts of any body that the payload becomes. */
const tokensOf = (payload: ChatPayload, reasoning: boolean): number =>
  Math.max(
    ...bodiesOf(payload, reasoning).flatMap((body) => [
      count(stringsIn(body), encodeO200k),
      count(stringsIn(body), encodeCl100k),
    ]),
  );

const boundOf = (body: JsonObject): number => new PromptTokens(promptSizeOf(body)).held(NO_LIMITS);

/** Texts of letters that count as many tokens as they have, and honest ones. */
const words = ofCaller(
  fc.oneof(
    fc.constantFrom('Good morning', 'ꙮꙮꙮꙮ', 'ⰰⰱⰲ', 'qjxz', '漢字', '{"a": [1, 2]}', '\n\n\t', '0x9f'),
    fc.string({ unit: 'grapheme', maxLength: 12 }),
    fc.constantFrom('long text ', '🜂', 'zq').map((fragment) => fragment.repeat(40)),
  ),
);
const json = fc.oneof(
  words,
  fc.dictionary(words, fc.oneof(words, fc.array(words, { maxLength: 3 })), { maxKeys: 3 }),
);
/** Fields that nobody has a rule for: of a request, and of anything in it. */
const otherFields = fc.dictionary(fc.constantFrom('prediction', 'functions', 'x', 'y'), json, { maxKeys: 2 });
const extraFields = fc.dictionary(fc.constantFrom('thoughts', 'title', 'x'), json, { maxKeys: 2 });
const name = ofCaller(fc.stringMatching(/^[a-zA-Z0-9_-]{1,20}$/));
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const listOf = <T>(arbitrary: fc.Arbitrary<T>, maxLength = 2) =>
  fc.array(arbitrary, { minLength: 1, maxLength });

/** Objects with these fields but the undefined ones; what is no arbitrary stands for itself. */
const object = (fields: Readonly<Record<string, unknown>>): fc.Arbitrary<Record<string, unknown>> =>
  fc
    .tuple(
      ...Object.entries(fields).map(([field, value]) =>
        fc.tuple(fc.constant(field), value instanceof fc.Arbitrary ? value : fc.constant(value)),
      ),
    )
    .map((entries) => JSON.parse(JSON.stringify(Object.fromEntries(entries))));

const merged = (...parts: fc.Arbitrary<object>[]): fc.Arbitrary<Record<string, unknown>> =>
  fc.tuple(...parts).map((objects) => Object.assign({}, ...objects));

/** The same with further fields. */
const extended = (fields: Readonly<Record<string, unknown>>) => merged(extraFields, object(fields));

const schema = object({ type: 'object', properties: fc.dictionary(words, json, { maxKeys: 2 }) });
const stops = fc.array(
  words.filter((text) => text !== ''),
  { maxLength: 2 },
);
const text = extended({ type: 'text', text: words });
/** A call and its result, as a route of another protocol may name them twice. */
const longName = ofCaller(fc.stringMatching(/^[a-z0-9_]{100,128}$/));
/** Messages one by one, and some that belong together. */
const conversationOf = (single: fc.Arbitrary<object>, together: fc.Arbitrary<readonly object[]>) =>
  listOf(fc.oneof({ weight: 3, arbitrary: single.map((one) => [one]) }, together), 3).map((lists) =>
    lists.flat(),
  );
const URL = 'https://example.com/a.png';
const DATA_URL = `data:image/png;base64,${PNG.source.data}`;

const chatImage = object({
  type: 'image_url',
  image_url: fc.constantFrom({ url: URL }, { url: DATA_URL }),
});
const chatCall = object({
  id: name,
  type: 'function',
  function: object({ name, arguments: fc.oneof(words, ofCaller(fc.json(), '{}')) }),
});
const chatMessage = fc.oneof(
  extended({ role: fc.constantFrom('system', 'developer'), content: fc.oneof(words, listOf(text)) }),
  extended({ role: 'user', content: fc.oneof(words, listOf(fc.oneof(text, chatImage), 3)) }),
  extended({
    role: 'assistant',
    content: maybe(words),
    refusal: maybe(words),
    reasoning_content: maybe(words),
    name: maybe(words.map((full) => full.slice(0, 60))),
    tool_calls: maybe(listOf(chatCall)),
  }),
  extended({ role: 'tool', content: words, tool_call_id: name }),
);
const chatMessagesOfCall = fc.tuple(name, longName, words).map(([id, called, content]) => [
  {
    role: 'assistant',
    tool_calls: [{ id, type: 'function', function: { name: called, arguments: '{}' } }],
  },
  { role: 'tool', tool_call_id: id, content },
]);
const chatTool = object({
  type: 'function',
  function: object({ name, description: maybe(words), parameters: maybe(schema) }),
});
const chat = merged(
  otherFields,
  object({
    model: 'a/b',
    messages: conversationOf(chatMessage, chatMessagesOfCall),
    tools: maybe(listOf(chatTool)),
    response_format: maybe(
      fc.oneof(
        object({ type: 'json_object' }),
        object({ type: 'json_schema', json_schema: object({ name, schema }) }),
      ),
    ),
    stop: maybe(stops),
    user: maybe(words),
  }),
);

const block = fc.oneof(text, fc.constantFrom<JsonObject>(PNG, LINKED));
const document = extended({
  type: 'document',
  source: fc.oneof(
    object({ type: 'text', media_type: 'text/plain', data: words }),
    object({ type: 'content', content: listOf(block) }),
  ),
});
const result = extended({
  type: 'tool_result',
  tool_use_id: name,
  content: maybe(fc.oneof(words, listOf(block))),
  is_error: maybe(fc.boolean()),
});
const plainText = object({ type: 'text', text: words });
const use = object({ type: 'tool_use', id: name, name, input: fc.dictionary(words, json, { maxKeys: 2 }) });
const thought = object({ type: 'thinking', thinking: words, signature: words });
const messagesOfCall = fc.tuple(name, longName, words).map(([id, called, content]) => [
  { role: 'assistant', content: [{ type: 'tool_use', id, name: called, input: {} }] },
  { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content }] },
]);
const contentOf = (...kinds: fc.Arbitrary<JsonObject>[]) => fc.oneof(words, listOf(fc.oneof(...kinds), 3));
const turn = fc.oneof(
  extended({ role: 'user', content: contentOf(block, result, document) }),
  extended({ role: 'assistant', content: contentOf(plainText, use, thought) }),
);
const messages = merged(
  otherFields,
  object({
    model: 'a/b',
    system: maybe(fc.oneof(words, fc.array(plainText, { maxLength: 2 }))),
    messages: conversationOf(turn, messagesOfCall),
    tools: maybe(
      fc.array(object({ name, description: maybe(words), input_schema: schema }), { maxLength: 2 }),
    ),
    stop_sequences: maybe(stops),
    output_config: maybe(object({ format: object({ type: 'json_schema', schema }) })),
  }),
);

const part = fc.oneof(
  extended({ type: 'input_text', text: words }),
  object({ type: 'input_image', image_url: fc.constantFrom(URL, DATA_URL) }),
);
const partsOf = (parts: fc.Arbitrary<object>) => fc.oneof(words, fc.array(parts, { maxLength: 2 }));
const item = fc.oneof(
  extended({ role: 'user', content: partsOf(part) }),
  extended({
    role: fc.constantFrom('system', 'developer'),
    content: partsOf(object({ type: 'input_text', text: words })),
  }),
  extended({
    role: 'assistant',
    content: partsOf(
      fc.oneof(extended({ type: 'output_text', text: words }), extended({ type: 'refusal', refusal: words })),
    ),
  }),
  extended({
    type: 'reasoning',
    summary: fc.array(object({ type: 'summary_text', text: words }), { maxLength: 2 }),
  }),
);
/** A call and its output: one without the other is refused. */
const itemsOfCall = fc
  .tuple(
    fc.boolean(),
    name,
    object({ name: words.map((full) => `f${full}`), namespace: maybe(words) }),
    words,
    partsOf(part),
  )
  .map(([isCustom, call_id, called, written, output]) => [
    {
      type: isCustom ? 'custom_tool_call' : 'function_call',
      call_id,
      ...called,
      [isCustom ? 'input' : 'arguments']: written,
    },
    { type: isCustom ? 'custom_tool_call_output' : 'function_call_output', call_id, output },
  ]);
const grammar = object({ type: 'grammar', syntax: 'lark', definition: words });
const ownTool = fc.oneof(
  object({ type: 'function', name, description: maybe(words), parameters: maybe(schema) }),
  object({ type: 'custom', name, description: maybe(words), format: maybe(grammar) }),
);
const uniqueTools = (tools: fc.Arbitrary<Record<string, unknown>>) =>
  fc.uniqueArray(tools, { selector: (tool) => tool.name, maxLength: 3 });
const namespace = object({ type: 'namespace', name, description: words, tools: uniqueTools(ownTool) });
const responses = merged(
  otherFields,
  object({
    model: 'a/b',
    max_output_tokens: 100,
    input: fc.oneof(
      words,
      conversationOf(item, itemsOfCall).map((items) => [{ role: 'user', content: 'Hi' }, ...items]),
    ),
    instructions: maybe(words),
    tools: maybe(uniqueTools(fc.oneof(ownTool, namespace))),
    text: maybe(object({ format: object({ type: 'json_schema', name, schema }) })),
    user: maybe(words),
  }),
);

const payloads: Record<string, fc.Arbitrary<ChatPayload>> = {
  responses: responses.map((request) =>
    responsesFormat.toPayload(responsesRequest.parse(request), NO_SEALED_TOKENS),
  ),
  chat: chat.map((request) =>
    chatFormat.toPayload(chatCompletionRequest.parse(request) as ChatRequest, NO_SEALED_TOKENS),
  ),
  messages: messages.map((request) =>
    messagesFormat.toPayload(messagesRequest.parse(request) as MessagesRequest, NO_SEALED_TOKENS),
  ),
};

describe.each(Object.entries(payloads))('the bound of a request of the %s surface', (_surface, payload) => {
  it('never falls below the tokens of the whole body for a route of any protocol', () => {
    fc.assert(
      fc.property(payload, fc.boolean(), (sample, reasoning) => {
        expect(boundOf(sample.body)).toBeGreaterThanOrEqual(tokensOf(sample, reasoning));
      }),
      { numRuns: rounds(150) },
    );
  });

  it('fails this test if it omits a field', () => {
    const fieldNames = new Set([
      'model',
      'messages',
      'system',
      'tools',
      'stop',
      'stop_sequences',
      'user',
      'input',
      'instructions',
    ]);
    const forgetful = (body: JsonObject) =>
      boundOf(Object.fromEntries(Object.entries(body).filter(([field]) => fieldNames.has(field))));
    const counterexample = fc.check(
      fc.property(payload, (sample) => forgetful(sample.body) >= tokensOf(sample, false)),
      { numRuns: 1_000, endOnFailure: true },
    );
    expect(counterexample.failed).toBe(true);
  });
});

describe('the prompt size of a request', () => {
  const user = (content: unknown) => ({ messages: [{ role: 'user', content }] });
  const hidden = 'hidden '.repeat(500);
  const plain = boundOf(user('Hi'));

  it.each<[string, JsonObject]>([
    ['a refusal', { messages: [{ role: 'assistant', content: 'Hi', refusal: hidden }] }],
    ['a text beside a refusal in one part', user([{ type: 'text', text: 'Hi', refusal: hidden }])],
    ['older functions', { ...user('Hi'), functions: [{ name: 'f', description: hidden }] }],
    ['a predicted output', { ...user('Hi'), prediction: { type: 'content', content: hidden } }],
    [
      'an older call of a function',
      { messages: [{ role: 'assistant', function_call: { name: 'f', arguments: hidden } }] },
    ],
    ['reasoning', { messages: [{ role: 'assistant', content: 'Hi', reasoning_content: hidden }] }],
    ['a field of any name', { ...user('Hi'), anything: { deep: [{ down: hidden }] } }],
    ['the name of a field', { ...user('Hi'), [hidden]: 1 }],
    ['a setting that is no number', { ...user('Hi'), temperature: hidden }],
    ['an unknown role', { messages: [{ role: hidden, content: 'Hi' }] }],
    ['a part of an unknown type', user([{ type: 'new', words: hidden }])],
    [
      'text in place of image data',
      user([{ type: 'image_url', image_url: { url: `data:image/png;base64,${hidden}` } }]),
    ],
    ['the signature of a thought', user([{ type: 'thinking', thinking: 'Hm.', signature: hidden }])],
    ['a number of many digits', { ...user('Hi'), n: rawJson('7'.repeat(3_500)) }],
  ])('includes %s', (_what, body) => {
    expect(boundOf(body)).toBeGreaterThan(plain + 500);
  });

  const call = { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' };
  const items = (item: object) => ({ input: ['Hi', item] });
  it.each<[string, JsonObject]>([
    ['the input of a custom tool', items({ type: 'custom_tool_call', name: 'f', input: hidden })],
    ['the output of a tool', items({ type: 'function_call_output', output: hidden })],
    ['the namespace of a call', items({ ...call, namespace: hidden })],
    ['encrypted reasoning', items({ type: 'reasoning', encrypted_content: hidden })],
    [
      'the summary of reasoning',
      items({ type: 'reasoning', summary: [{ type: 'summary_text', text: hidden }] }),
    ],
    ['a field of an item', items({ ...call, anything: [hidden] })],
    ['an item of another type', items({ type: 'new', what: hidden })],
    ['the address of a file', items({ role: 'user', content: [{ type: 'input_file', file_url: hidden }] })],
    [
      'text in place of file data',
      items({ role: 'user', content: [{ type: 'input_file', file_data: hidden }] }),
    ],
    ['instructions', { input: 'Hi', instructions: hidden }],
    ['text in place of an item', { input: ['Hi', hidden] }],
    [
      'a tool in a namespace',
      { input: 'Hi', tools: [{ type: 'namespace', tools: [{ description: hidden }] }] },
    ],
  ])('includes, in a Responses request, %s', (_what, body) => {
    expect(boundOf(body)).toBeGreaterThan(boundOf({ input: 'Hi' }) + 500);
  });

  it('includes a file and the provider’s own items as unseen content, without the bytes of the file', () => {
    const file_data = `data:application/pdf;base64,${'A'.repeat(1_000_000)}`;
    const size = promptSizeOf({ input: [{ role: 'user', content: [{ type: 'input_file', file_data }] }] });
    expect(size).toMatchObject({ unseen: 1, strings: [] });
    expect(promptSizeOf({ input: [{ type: 'web_search_call', id: 'ws_1' }] }).unseen).toBe(1);
    expect(promptSizeOf({ input: [call] }).unseen).toBe(0);
    expect(promptSizeOf({ input: 'Hi', tools: [{ type: 'namespace', name: 'a', tools: [] }] })).toMatchObject(
      {
        providerTools: false,
      },
    );
  });

  it('grows equally for every text of a system message, whether it is the content or a part of it', () => {
    const text = { type: 'text', text: 'a' };
    const addedTo = (content: unknown) => {
      const [system, other] = ['system', 'user'].map((role) =>
        promptSizeOf({ messages: [{ role, content }] }),
      );
      return (system?.objects ?? 0) - (other?.objects ?? 0);
    };
    expect(addedTo('a')).toBeGreaterThan(0);
    expect(addedTo([text])).toBe(addedTo('a'));
    expect(addedTo([text, text, text])).toBe(3 * addedTo('a'));
  });

  it.each([
    ['a call', { type: 'tool_use', id: 'a', name: 'f', input: {} }],
    ['its result', { type: 'tool_result', tool_use_id: 'a', content: [] }],
  ])(
    'includes an overhead per tool call in Messages, larger than that of a content part: %s',
    (_what, part) => {
      const objectsOf = (content: unknown) => promptSizeOf(user([content])).objects;
      expect(objectsOf(part)).toBeGreaterThan(objectsOf({ type: 'text', text: '' }));
    },
  );

  const data = Buffer.alloc(600).toString('base64');
  const url = `data:image/png;base64,${data}`;
  const source = { type: 'base64', media_type: 'image/png', data };
  it.each<[string, unknown]>([
    ['of chat', { type: 'image_url', image_url: { url } }],
    ['of chat with a detail', { type: 'image_url', image_url: { url, detail: 'low' } }],
    ['of chat under another type', { type: 'image_url', image_url: { url: url.replace('png', 'jpeg') } }],
    ['of Responses with a detail', { type: 'input_image', image_url: url, detail: 'low' }],
    ['of Messages', { type: 'image', source }],
    ['in the result of a tool', { type: 'tool_result', content: [{ type: 'image', source }] }],
  ])('includes an image, and none of its bytes as text: %s', (_what, part) => {
    for (const count of [1, 2]) {
      const { images, unseen, strings } = promptSizeOf(user(Array(count).fill(part)));
      expect([images, unseen]).toEqual([count, 0]);
      expect(strings.join('').length).toBeLessThan(100 * count);
    }
  });

  it.each<[string, unknown, string]>([
    [
      'elsewhere',
      { type: 'image_url', image_url: { url: 'https://example.com/a.png', detail: 'high' } },
      'https://example.com/a.png',
    ],
    [
      'linked in Messages',
      { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
      'https://example.com/a.png',
    ],
    ['data that is not Base64', { type: 'image', source: { ...source, data: `${data} ` } }, data],
  ])('includes an image, and its field as text: %s', (_what, part, text) => {
    const { images, strings } = promptSizeOf(user([part]));
    expect(images).toBe(1);
    expect(strings.join('')).toContain(text);
  });

  it.each([
    ['a file', { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'QUJD' } }],
    ['a file elsewhere', { type: 'document', source: { type: 'url', url: 'https://example.com/a.pdf' } }],
    ['a file that was uploaded', { type: 'document', source: { type: 'file', file_id: 'file_1' } }],
    ['a block that is not known', { type: 'container_upload', file_id: 'file_1' }],
  ])('includes unseen content: %s', (_what, part) => {
    expect(promptSizeOf(user([part])).unseen).toBe(1);
  });

  it('grows to the whole window with a provider’s own tool, whose results are unknown', () => {
    const tools = [{ type: 'web_search_20260209', name: 'web_search' }];
    const size = promptSizeOf({ ...user('Hi'), tools });
    expect(size).toMatchObject({ unseen: 0, providerTools: true });
    expect(new PromptTokens(size).held(NO_LIMITS)).toBe(1_000_000);
    expect(promptSizeOf({ ...user('Hi'), tools: [{ name: 'f', input_schema: {} }] }).providerTools).toBe(
      false,
    );
  });

  it.each([
    ['bash_20250124', 'bash', 245],
    ['text_editor_20250728', 'str_replace_based_edit_tool', 700],
    ['computer_20251124', 'computer', 735],
    ['memory_20250818', 'memory', 735],
  ])(
    'grows by the definition of a tool of Anthropic’s that the caller runs, not by results: %s',
    (type, name, tokens) => {
      const count = (tools?: readonly object[]) =>
        probableTokens(
          promptSizeOf({ ...user('foo'), ...(tools === undefined ? {} : { tools }) }),
          NO_LIMITS,
        );
      const added = count([{ type, name }]) - count();
      expect(added).toBeGreaterThanOrEqual(tokens);
      expect(added).toBeLessThan(tokens + 30);
      const size = promptSizeOf({ ...user('foo'), tools: [{ type, name }] });
      expect(size.providerTools).toBe(false);
      expect(new PromptTokens(size).held(NO_LIMITS)).toBeLessThan(5_000);
      expect(new PromptTokens(size).held(NO_LIMITS)).toBeGreaterThan(804 + tokens);
      expect(new PromptTokens(size).upper(NO_LIMITS)).toBeLessThan(1_000);
    },
  );

  it('excludes settings that are numbers', () => {
    const settings = { model: 'a', stream: true, temperature: 0.7, max_tokens: 256, top_p: 1, n: 1, seed: 7 };
    expect(boundOf({ ...user('Hi'), ...settings })).toBe(plain);
  });

  it.each(['!', '=', '\n!', '==='])('takes linear time to read, even if %j ends an image', async (tail) => {
    const read = (lines: number) =>
      promptSizeOf(
        user([{ type: 'image', source: { type: 'base64', data: `${'\n'.repeat(lines)}${tail}` } }]),
      );
    expect(await growthOf(read, 100_000)).toBeLessThan(MAX_RATIO);
  });
});
