import type { ContentBlock, ToolResultContentBlock } from '@aws-sdk/client-bedrock-runtime';
import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../../tools/test-kit/search.ts';
import { rounds } from '../../../../tools/test-kit/thorough.ts';
import type { Conversation } from '../../core/upstream/conversation.ts';
import {
  anyConversation,
  anyMode,
  soundConversation,
} from '../../testing/providers/anthropic/conversations.ts';
import { foreignPayload } from '../../testing/providers/anthropic/fixtures.ts';
import { SIGNATURES } from '../../testing/providers/sealing.ts';
import { toRequest } from '../anthropic/request.ts';
import { toConverseCall } from '../bedrock/request.ts';
import { takesSchema } from './json-output.ts';

interface Block {
  readonly type: string;
  readonly text?: string | undefined;
  readonly id?: string | undefined;
  readonly input?: unknown;
  readonly tool_use_id?: string | undefined;
  readonly content?: readonly Block[];
  readonly source?: { readonly media_type?: string };
}

/** A request in the form of the Messages protocol, also where it was written for Converse. */
interface Body {
  readonly system?: string | readonly Block[];
  readonly messages: readonly { readonly role: string; readonly content: readonly Block[] }[];
  readonly max_tokens: number;
  readonly tools?: readonly { readonly name: string; readonly input_schema: { readonly type?: unknown } }[];
  readonly tool_choice?: {
    readonly type: string;
    readonly name?: string;
    readonly disable_parallel_tool_use?: true;
  };
  readonly temperature?: number;
  readonly top_p?: number;
  readonly stop_sequences?: readonly string[];
  readonly metadata?: { readonly user_id: string };
  readonly thinking?: { readonly type: string; readonly budget_tokens?: number };
  readonly output_config?: {
    readonly effort?: string;
    readonly format?: { readonly schema: Record<string, unknown> };
  };
}

type Route = Parameters<typeof toConverseCall>[1];

const inMessages = (conversation: Conversation, route: Route): Body =>
  JSON.parse(JSON.stringify(toRequest(foreignPayload(conversation), route, SIGNATURES).body)) as Body;

/** Converse fetches no images: routes of it are no candidates for their addresses. */
const withoutUrls = (conversation: Conversation): Conversation =>
  JSON.parse(JSON.stringify(conversation), (_name, value: unknown) =>
    (value as { kind?: unknown } | null)?.kind === 'url'
      ? { kind: 'base64', mediaType: 'image/png', data: 'AQI=' }
      : value,
  ) as Conversation;

function inConverse(conversation: Conversation, route: Route): Body {
  const { request } = toConverseCall(withoutUrls(conversation), route, SIGNATURES);
  const { inferenceConfig = {}, toolConfig, system = [], messages = [] } = request;
  const choice = Object.entries(toolConfig?.toolChoice ?? {}).map(([type, { name }]) => ({ type, name }));
  const schema = request.outputConfig?.textFormat?.structure?.jsonSchema?.schema;
  const { thinking, output_config: output } = Object(request.additionalModelRequestFields);
  return JSON.parse(
    JSON.stringify(
      {
        system: system.map(blockOf),
        messages: messages.map(({ role, content = [] }) => ({ role, content: content.map(blockOf) })),
        tools: toolConfig?.tools?.map(({ toolSpec }) => ({
          name: toolSpec?.name,
          input_schema: toolSpec?.inputSchema?.json,
        })),
        tool_choice: choice[0],
        max_tokens: inferenceConfig.maxTokens,
        temperature: inferenceConfig.temperature,
        top_p: inferenceConfig.topP,
        stop_sequences: isClaude(route) ? inferenceConfig.stopSequences : undefined,
        thinking,
        output_config: { ...output, ...(schema && { format: { schema: JSON.parse(schema) } }) },
      },
      (_name, value: unknown) => (typeof value === 'bigint' ? String(value) : value),
    ),
  ) as Body;
}

const isClaude = ({ upstream_model: model }: Route): boolean => model.includes('anthropic');

function blockOf(
  block: ContentBlock | ToolResultContentBlock | { readonly text?: string | undefined },
): Block {
  const { text, toolUse, toolResult, reasoningContent } = block as ContentBlock;
  if (toolUse !== undefined) return { type: 'tool_use', id: toolUse.toolUseId, input: toolUse.input };
  if (toolResult !== undefined)
    return {
      type: 'tool_result',
      tool_use_id: toolResult.toolUseId,
      content: (toolResult.content ?? []).map(blockOf),
    };
  if (reasoningContent !== undefined) return { type: 'thinking' };
  return text === undefined ? { type: 'media' } : { type: 'text', text };
}

const ID = /^[a-zA-Z0-9_-]{1,64}$/;
const isBlank = ({ type, text }: Block): boolean => type === 'text' && (text ?? '').trim() === '';
const deep = (blocks: readonly Block[]): Block[] =>
  blocks.flatMap((block) => [block, ...deep(block.content ?? [])]);
const isThought = (block: Block | undefined): boolean =>
  block?.type === 'thinking' || block?.type === 'redacted_thinking';
const isObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const callIds = (blocks: readonly Block[]): string[] =>
  blocks.flatMap(({ type, id }) => (type === 'tool_use' ? (id ?? '') : []));
const resultIds = (blocks: readonly Block[]): string[] => blocks.flatMap(({ tool_use_id: id }) => id ?? []);
const resultsLead = (blocks: readonly Block[]): boolean =>
  blocks.slice(0, resultIds(blocks).length).every(({ type }) => type === 'tool_result');

/**
 * Returns the documented rules that a request breaks, in any order of calls and results (Claude API reference, Create a
 * Message; Amazon Bedrock API reference, Converse; and the texts of the errors of both).
 */
function brokenRules({ system, messages, ...body }: Body): string[] {
  const all = deep(messages.flatMap(({ content }) => content));
  const tools = body.tools ?? [];
  const choice = body.tool_choice;
  const last = messages.at(-1);
  const lastText = last?.role === 'assistant' ? last.content.at(-1)?.text : undefined;
  const rules: Record<string, boolean> = {
    'the user speaks first': messages[0]?.role === 'user',
    'roles alternate': messages.every(({ role }, index) => role !== messages[index - 1]?.role),
    'messages are not empty': messages.every(({ content }) => content.length > 0),
    'results that have content have some': all.every(({ content }) => content?.length !== 0),
    'texts are not blank': !all.some(isBlank),
    'the system is not blank':
      typeof system === 'string' ? system.trim() !== '' : !(system ?? []).some(isBlank),
    'ids are legal': all.every(({ id, tool_use_id: of }) =>
      [id, of].every((one) => one === undefined || ID.test(one)),
    ),
    'ids of calls differ': new Set(callIds(all)).size === callIds(all).length,
    'inputs are objects': all.every(({ type, input }) => type !== 'tool_use' || isObject(input)),
    'results come first': messages.every(({ content }) => resultsLead(content)),
    'calls are the assistant’s': messages.every(
      ({ role, content }) => role === 'assistant' || callIds(content).length === 0,
    ),
    'an answer to go on with does not end in white space': !/\s$/.test(lastText ?? ''),
    'images have known types': all.every(({ source }) => source?.media_type !== 'image/jpg'),
    'calls need tools': callIds(all).length === 0 || tools.length > 0,
    'a list of tools has some': body.tools?.length !== 0,
    'tools have objects’ schemas': tools.every(({ input_schema: schema }) => schema.type === 'object'),
    'names of tools differ': new Set(tools.map(({ name }) => name)).size === tools.length,
    'a choice needs tools': choice === undefined || tools.length > 0,
    'a chosen tool is there': choice?.name === undefined || tools.some(({ name }) => name === choice.name),
    'no choice is not parallel': choice?.type !== 'none' || choice.disable_parallel_tool_use === undefined,
    'one sampling parameter': body.temperature === undefined || body.top_p === undefined,
    'temperature up to 1': (body.temperature ?? 0) <= 1,
    'stop sequences say something': (body.stop_sequences ?? ['x']).every((stop) => stop.trim() !== ''),
    'some stop sequences': body.stop_sequences?.length !== 0,
    'a user id of 256': (body.metadata?.user_id.length ?? 0) <= 256,
    'schemas are supported': takesSchema(body.output_config?.format?.schema ?? {}),
  };
  return Object.keys(rules).filter((rule) => rules[rule] !== true);
}

/** Claude docs, Extended thinking and Adaptive thinking, and the texts of the errors of its server. */
function brokenRulesOfThinking({ messages, thinking, ...body }: Body): string[] {
  const last = messages.at(-1);
  const on = thinking?.type === 'enabled' || thinking?.type === 'adaptive';
  const answers = messages.filter(({ role }) => role === 'assistant').map(({ content }) => content);
  const inToolTurn = last?.content.some(({ type }) => type === 'tool_result') === true;
  const budget = thinking?.budget_tokens ?? 0;
  const rules: Record<string, boolean> = {
    'a message with thoughts begins with one': answers.every(
      (content) => !content.some(isThought) || isThought(content[0]),
    ),
    'no message ends with a thought': answers.every((content) => !isThought(content.at(-1))),
    'only an answer has thoughts': messages.every(
      ({ role, content }) => role === 'assistant' || !content.some(isThought),
    ),
    'an answer to go on with has no thought': last?.role !== 'assistant' || !last.content.some(isThought),
    'no thoughts where thinking is off':
      thinking?.type !== 'disabled' || !answers.some((content) => content.some(isThought)),
    'the answer that called tools begins with a thought':
      thinking?.type !== 'enabled' || !inToolTurn || answers.length === 0 || isThought(answers.at(-1)?.[0]),
    'no answer to go on with beside a budget': thinking?.type !== 'enabled' || last?.role === 'user',
    'a budget within the answer':
      thinking?.type !== 'enabled' || (budget >= 1_024 && budget < body.max_tokens),
    'no temperature beside thinking': !on || body.temperature === undefined,
    'a share of 0.95 or more beside thinking': !on || (body.top_p ?? 1) >= 0.95,
    'no forced call beside thinking': !on || !['any', 'tool'].includes(body.tool_choice?.type ?? ''),
    'a known effort': ['low', 'medium', 'high', 'max', undefined].includes(body.output_config?.effort),
  };
  return Object.keys(rules).filter((rule) => rules[rule] !== true);
}

const anyRoute = fc
  .tuple(anyMode, fc.boolean(), fc.constantFrom('us.anthropic.claude', 'us.anthropic.claude', 'amazon.nova'))
  .map(([mode, reasoning, upstream_model]): Route => ({ upstream_model, reasoning, ...mode }));

describe.each([
  ['Messages', inMessages],
  ['Converse', inConverse],
])('the request of a conversation over %s', (_protocol, requestOf) => {
  it.each([
    ['any conversation', anyConversation],
    ['one whose calls are all answered', soundConversation],
  ])('follows the rules of the protocol and of thinking, for %s', (_which, conversations) => {
    const modes = new Set<string | undefined>();
    fc.assert(
      fc.property(conversations, anyRoute, (conversation, route) => {
        const body = requestOf(conversation, route);
        modes.add(body.thinking?.type);
        expect([...brokenRules(body), ...brokenRulesOfThinking(body)]).toEqual([]);
      }),
      { numRuns: rounds(300) },
    );
    expect([...modes].toSorted()).toEqual(['adaptive', 'disabled', 'enabled', undefined]);
  });

  it('contains the result of every call in the next message, and no other, if the conversation does', () => {
    fc.assert(
      fc.property(soundConversation, anyRoute, (conversation, route) => {
        const { messages } = requestOf(conversation, route);
        messages.forEach(({ content }, index) => {
          const called = messages[index - 1]?.content ?? [];
          expect(resultIds(content).toSorted()).toEqual(callIds(called).toSorted());
        });
      }),
      { numRuns: rounds(120) },
    );
  });

  it('stays the same each time, and leaves the conversation unchanged', () => {
    fc.assert(
      fc.property(anyConversation, anyRoute, (conversation, route) => {
        const before = structuredClone(conversation);
        expect(requestOf(conversation, route)).toEqual(requestOf(before, route));
        expect(conversation).toEqual(before);
      }),
      { numRuns: rounds(80) },
    );
  });
});

it('the rules of thinking reject any other request', () => {
  const content = [{ type: 'text' }, { type: 'thinking' }];
  const body = { max_tokens: 256, temperature: 1, top_p: 0.9, tool_choice: { type: 'any' } };
  expect(brokenRulesOfThinking({ ...body, messages: [{ role: 'assistant', content }] })).toHaveLength(3);
  const thinking = { type: 'enabled', budget_tokens: 512 };
  expect(brokenRulesOfThinking({ ...body, messages: [], thinking })).toHaveLength(5);
});
