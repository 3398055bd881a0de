import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../../tools/test-kit/search.ts';
import { rounds } from '../../../../tools/test-kit/thorough.ts';
import type {
  AssistantPart,
  Conversation,
  DocumentPart,
  ImagePart,
  TextPart,
  Turn,
  UserPart,
} from '../../core/upstream/conversation.ts';
import { urlOf } from '../../core/upstream/sources.ts';
import { CAPSULES, type Fields, payloadOf } from '../../testing/completions/responses/requests.ts';

const conversationOf = (fields: Fields) => payloadOf({ max_output_tokens: 9, ...fields }).conversation();

/** The items of a turn: what this format has for each of its parts. */
const itemsOf = ({ role, parts }: Turn): unknown[] =>
  role === 'assistant' ? parts.map(assistantItem) : userItems(parts);

function assistantItem(part: AssistantPart): unknown {
  if (part.type === 'tool-call')
    return { type: 'function_call', call_id: part.id, name: part.name, arguments: part.arguments };
  if (part.type === 'reasoning')
    return {
      type: 'reasoning',
      summary: part.text === '' ? [] : [{ type: 'summary_text', text: part.text }],
      encrypted_content: part.signature ?? null,
    };
  const content =
    part.type === 'text' ? { type: 'output_text', text: part.text } : { type: 'refusal', refusal: part.text };
  return { role: 'assistant', content: [content] };
}

function shown(part: TextPart | ImagePart | DocumentPart) {
  if (part.type === 'text') return { type: 'input_text', text: part.text };
  const url = urlOf(part.source);
  if (part.type === 'image') return { type: 'input_image', image_url: url, detail: part.detail ?? 'auto' };
  const named = part.name === undefined ? {} : { filename: part.name };
  return {
    type: 'input_file',
    ...(part.source.kind === 'url' ? { file_url: url } : { file_data: url }),
    ...named,
  };
}

function userItems(parts: readonly UserPart[]): unknown[] {
  const results = parts.flatMap((part) =>
    part.type === 'tool-result'
      ? [{ type: 'function_call_output', call_id: part.id, output: part.content.map(shown) }]
      : [],
  );
  const content = parts.flatMap((part) =>
    part.type === 'tool-result' || part.type === 'audio' ? [] : [shown(part)],
  );
  return results.length > 0 ? results : [{ role: 'user', content }];
}

const text: fc.Arbitrary<TextPart> = fc.record({ type: fc.constant('text' as const), text: fc.string() });
const image = fc.constantFrom(
  { type: 'image', source: { kind: 'url', url: 'https://example.com/a.png' } } as const,
  { type: 'image', source: { kind: 'base64', mediaType: 'image/png', data: 'aGk=' }, detail: 'low' } as const,
);
const document: fc.Arbitrary<DocumentPart> = fc.constantFrom(
  { type: 'document', source: { kind: 'url', url: 'https://example.com/a.pdf' } },
  { type: 'document', source: { kind: 'base64', mediaType: 'application/pdf', data: 'aGk=' }, name: 'a.pdf' },
);
const sealedSignature = CAPSULES.seal('signature', JSON.stringify(['route', 'proof']));
const textPart = fc.oneof<fc.Arbitrary<AssistantPart>[]>(
  text,
  fc.record({ type: fc.constant('refusal' as const), text: fc.string() }),
  fc.record({ type: fc.constant('reasoning' as const), text: fc.string({ minLength: 1 }) }),
  fc.record({
    type: fc.constant('reasoning' as const),
    text: fc.string(),
    signature: fc.constant(sealedSignature),
  }),
);
/** A round of turns: the user's input, the model's output and calls, and the results of the calls. */
const round = fc
  .tuple(
    fc.array(fc.oneof(text, image, document), { minLength: 1, maxLength: 3 }),
    fc.array(textPart, { minLength: 1, maxLength: 3 }),
    fc.option(fc.tuple(fc.json(), fc.array(fc.oneof(text, image), { maxLength: 2 })), { nil: undefined }),
  )
  .map(([question, parts, called]): Turn[] => {
    if (called === undefined)
      return [
        { role: 'user', parts: question },
        { role: 'assistant', parts },
      ];
    const [written, content] = called;
    return [
      { role: 'user', parts: question },
      { role: 'assistant', parts: [...parts, { type: 'tool-call', id: 'c', name: 'f', arguments: written }] },
      { role: 'user', parts: [{ type: 'tool-result', id: 'c', content, isError: false }] },
    ];
  });

const conversations = fc.record({
  system: fc.array(fc.string(), { maxLength: 2 }),
  turns: fc.array(round, { minLength: 1, maxLength: 3 }).map((rounds) => rounds.flat()),
  temperature: fc.constantFrom(0, 0.5, 2),
  topP: fc.constantFrom(0.1, 0.9),
  parallelToolCalls: fc.boolean(),
  toolChoice: fc.constantFrom<NonNullable<Conversation['toolChoice']>[]>(
    { type: 'auto' },
    { type: 'any' },
    { type: 'none' },
    { type: 'tool', name: 'f' },
  ),
  effort: fc.constantFrom('none' as const, 'low' as const, 'max' as const),
  user: fc.string(),
  safetyIdentifier: fc.string(),
  promptCacheKey: fc.string(),
});

describe('a conversation in the Responses format', () => {
  it('reads back unchanged after it is written', () => {
    fc.assert(
      fc.property(conversations, ({ effort, ...given }) => {
        const conversation: Conversation = {
          ...given,
          tools: [{ name: 'f', description: 'F', parameters: { type: 'object' }, strict: true }],
          format: { type: 'json-schema', name: 'a', schema: { type: 'object' }, strict: false },
          reasoning: { effort },
          maxTokens: 9,
          stop: [],
        };
        expect(conversationOf(written(conversation))).toEqual(conversation);
      }),
      { numRuns: rounds(200) },
    );
  });
});

/** The request that says this. */
function written({ system, turns, tools, toolChoice, ...rest }: Conversation): Fields {
  const { temperature, topP, parallelToolCalls, reasoning, format } = rest;
  const named = toolChoice?.type === 'tool' ? { type: 'function', name: toolChoice.name } : undefined;
  const { type: _type, ...schema } = format ?? { type: 'json' };
  return {
    input: [...system.map((content) => ({ role: 'developer', content })), ...turns.flatMap(itemsOf)],
    tools: tools.map((tool) => ({ type: 'function', ...tool })),
    tool_choice: named ?? (toolChoice?.type === 'any' ? 'required' : toolChoice?.type),
    temperature,
    top_p: topP,
    parallel_tool_calls: parallelToolCalls,
    reasoning: { effort: reasoning?.effort, summary: 'auto' },
    text: { format: { type: 'json_schema', ...schema } },
    user: rest.user,
    safety_identifier: rest.safetyIdentifier,
    prompt_cache_key: rest.promptCacheKey,
  };
}

describe('a Responses request as a conversation', () => {
  it('contains one user text and nothing that the request does not set', () => {
    expect(conversationOf({ instructions: 'Be brief.' })).toEqual({
      system: ['Be brief.'],
      turns: [{ role: 'user', parts: [{ type: 'text', text: 'Hi' }] }],
      tools: [],
      maxTokens: 9,
      stop: [],
    });
  });

  it('merges all model output between two inputs into one turn', () => {
    const { turns } = conversationOf({
      input: [
        {
          type: 'reasoning',
          summary: [
            { type: 'summary_text', text: 'A' },
            { type: 'summary_text', text: 'B' },
          ],
        },
        { role: 'assistant', content: 'Wait.' },
        { role: 'developer', content: 'Go on.' },
        { type: 'custom_tool_call', call_id: 'c', name: 'patch', input: 'a "b"\n' },
        { type: 'custom_tool_call_output', call_id: 'c', output: 'done' },
      ],
    });
    expect(turns).toEqual([
      {
        role: 'assistant',
        parts: [
          { type: 'reasoning', text: 'A\n\nB' },
          { type: 'text', text: 'Wait.' },
        ],
      },
      { role: 'system', parts: [{ type: 'text', text: 'Go on.' }] },
      {
        role: 'assistant',
        parts: [{ type: 'tool-call', id: 'c', name: 'patch', arguments: '{"input":"a \\"b\\"\\n"}' }],
      },
      {
        role: 'user',
        parts: [{ type: 'tool-result', id: 'c', content: [{ type: 'text', text: 'done' }], isError: false }],
      },
    ]);
  });

  const f = { type: 'function', name: 'f' };
  const patch = {
    type: 'custom',
    name: 'patch',
    description: 'Patches.',
    format: { type: 'grammar', syntax: 'lark', definition: 'start: "x"' },
  };
  const agents = { type: 'namespace', name: 'agents', description: 'Agents.', tools: [f, patch] };

  it('declares custom tools and the tools of namespaces as functions', () => {
    const { tools } = conversationOf({ tools: [f, patch, agents] });
    const input = expect.objectContaining({ required: ['input'], properties: { input: { type: 'string' } } });
    const nothing = { type: 'object', properties: {} };
    const grammar = 'Patches.\n\ninput follows this lark grammar:\nstart: "x"';
    expect(tools).toEqual([
      { name: 'f', parameters: nothing },
      { name: 'patch', description: grammar, parameters: input },
      { name: 'agents__f', description: 'agents: Agents.', parameters: nothing },
      { name: 'agents__patch', description: grammar, parameters: input },
    ]);
  });

  it.each<[string, unknown, readonly string[], unknown]>([
    ['a custom tool', { type: 'custom', name: 'patch' }, ['f', 'patch'], { type: 'tool', name: 'patch' }],
    [
      'some of them',
      { type: 'allowed_tools', mode: 'required', tools: [{ type: 'custom', name: 'patch' }] },
      ['patch'],
      { type: 'any' },
    ],
    [
      'some of them or none',
      { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'f' }] },
      ['f'],
      { type: 'auto' },
    ],
  ])('offers the tools that are chosen: %s', (_what, choice, names, toolChoice) => {
    const conversation = conversationOf({ tools: [f, patch], tool_choice: choice });
    expect(conversation.tools.map(({ name }) => name)).toEqual(names);
    expect(conversation.toolChoice).toEqual(toolChoice);
  });

  it('omits the tool choice if there are no tools', () => {
    expect(conversationOf({ tool_choice: 'auto' })).not.toHaveProperty('toolChoice');
  });

  it('calls tools of namespaces by the names that it offers', () => {
    const call = { type: 'function_call', call_id: 'c', name: 'f', namespace: 'agents', arguments: '{}' };
    const { turns } = conversationOf({ tools: [agents], input: [call] });
    expect(turns[0]?.parts).toMatchObject([{ name: 'agents__f' }]);
  });
});
