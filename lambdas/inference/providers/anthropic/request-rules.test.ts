import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../../tools/test-kit/search.ts';
import { rounds } from '../../../../tools/test-kit/thorough.ts';
import {
  anyConversation,
  anyMode,
  soundConversation,
} from '../../testing/providers/anthropic/conversations.ts';
import { foreignPayload } from '../../testing/providers/anthropic/fixtures.ts';
import { SIGNATURES } from '../../testing/providers/sealing.ts';
import { takesSchema } from '../claude/json-output.ts';
import { toRequest } from './request.ts';

interface MessageBlock {
  readonly type: string;
  readonly text?: string;
  readonly id?: string;
  readonly name?: string;
  readonly input?: unknown;
  readonly tool_use_id?: string;
  readonly content?: readonly MessageBlock[];
  readonly source?: { readonly media_type?: string };
}

interface Body {
  readonly system?: string | readonly MessageBlock[];
  readonly messages: readonly { readonly role: string; readonly content: readonly MessageBlock[] }[];
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
  readonly output_config?: { readonly format?: { readonly schema: Record<string, unknown> } };
}

type SampleMode = typeof anyMode extends fc.Arbitrary<infer Of> ? Of : never;

const ID = /^[a-zA-Z0-9_-]{1,64}$/;
const isBlank = ({ type, text }: MessageBlock): boolean => type === 'text' && (text ?? '').trim() === '';
const deep = (blocks: readonly MessageBlock[]): MessageBlock[] =>
  blocks.flatMap((block) => [block, ...deep(block.content ?? [])]);

/**
 * Returns the documented rules that a request breaks, in any order of calls and results (Claude API reference, Create a
 * Message).
 */
function brokenRules({ system, messages, ...body }: Body): string[] {
  const all = deep(messages.flatMap(({ content }) => content));
  const tools = body.tools ?? [];
  const choice = body.tool_choice;
  const rules: Record<string, boolean> = {
    'the user speaks first': messages[0]?.role === 'user',
    'roles alternate': messages.every(({ role }, index) => role !== messages[index - 1]?.role),
    'messages are not empty': messages.every(({ content }) => content.length > 0),
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
    'an answer to go on with does not end in white space': !endsBlank(messages.at(-1)),
    'images have known types': all.every(({ source }) => source?.media_type !== 'image/jpg'),
    'calls need tools': callIds(all).length === 0 || tools.length > 0,
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

const isObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const callIds = (blocks: readonly MessageBlock[]): string[] =>
  blocks.flatMap(({ type, id }) => (type === 'tool_use' ? (id ?? '') : []));

const resultIds = (blocks: readonly MessageBlock[]): string[] =>
  blocks.flatMap(({ tool_use_id: id }) => id ?? []);

const resultsLead = (blocks: readonly MessageBlock[]): boolean =>
  blocks.slice(0, resultIds(blocks).length).every(({ type }) => type === 'tool_result');

function endsBlank(message: Body['messages'][number] | undefined): boolean {
  const last = message?.role === 'assistant' ? message.content.at(-1) : undefined;
  return last?.type === 'text' && /\s$/.test(last.text ?? '');
}

const bodyFor = (
  conversation: Parameters<typeof foreignPayload>[0],
  mode: SampleMode,
  reasoning = false,
): Body =>
  JSON.parse(
    JSON.stringify(
      toRequest(foreignPayload(conversation), { upstream_model: 'claude', reasoning, ...mode }, SIGNATURES)
        .body,
    ),
  ) as Body;

describe('the request of any conversation', () => {
  it('follows the rules of the protocol', () => {
    fc.assert(
      fc.property(anyConversation, anyMode, fc.boolean(), (conversation, mode, reasoning) => {
        expect(brokenRules(bodyFor(conversation, mode, reasoning))).toEqual([]);
      }),
      { numRuns: rounds(120) },
    );
  });

  it('contains the result of every call in the next message, and no other, if the conversation does', () => {
    fc.assert(
      fc.property(soundConversation, anyMode, fc.boolean(), (conversation, mode, reasoning) => {
        const body = bodyFor(conversation, mode, reasoning);
        expect(brokenRules(body)).toEqual([]);
        body.messages.forEach(({ content }, index) => {
          const called = body.messages[index - 1]?.content ?? [];
          expect(resultIds(content).toSorted()).toEqual(callIds(called).toSorted());
        });
      }),
      { numRuns: rounds(120) },
    );
  });

  it('stays the same each time', () => {
    fc.assert(
      fc.property(anyConversation, anyMode, (conversation, mode) => {
        expect(bodyFor(conversation, mode)).toEqual(bodyFor(structuredClone(conversation), mode));
      }),
      { numRuns: 50 },
    );
  });
});
