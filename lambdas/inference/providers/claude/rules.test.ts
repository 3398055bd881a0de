import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../../tools/test-kit/search.ts';
import { rounds } from '../../../../tools/test-kit/thorough.ts';
import type { Conversation } from '../../core/upstream/conversation.ts';
import { UpstreamFailure } from '../../core/upstream/provider.ts';
import {
  anyConversation,
  anyMode,
  soundConversation,
} from '../../testing/providers/anthropic/conversations.ts';
import { foreignPayload } from '../../testing/providers/anthropic/fixtures.ts';
import { SIGNATURES } from '../../testing/providers/sealing.ts';
import { toRequest } from '../anthropic/request.ts';
import { toConverseCall } from '../bedrock/request.ts';

/** The properties of a request that decide whether Claude may think, the same for both protocols. */
interface ClaudeBody {
  readonly messages: readonly { readonly role: string; readonly kinds: readonly string[] }[];
  readonly thinking: { readonly type: string; readonly budget_tokens?: number } | undefined;
  readonly effort: string | undefined;
  readonly maxTokens: number;
  readonly temperature: number | undefined;
  readonly topP: number | undefined;
  readonly forced: boolean;
}

type ReasoningSample = typeof anyMode extends fc.Arbitrary<infer Of> ? Of : never;
const ROUTE = { upstream_model: 'anthropic.claude', reasoning: false };

function inMessages(conversation: Conversation, mode: ReasoningSample): ClaudeBody {
  const { body } = toRequest(foreignPayload(conversation), { ...ROUTE, ...mode }, SIGNATURES);
  const messages = body.messages as { role: string; content: { type: string }[] }[];
  const output = body.output_config as { effort?: string } | undefined;
  const choice = body.tool_choice as { type: string } | undefined;
  return {
    messages: messages.map(({ role, content }) => ({ role, kinds: content.map(({ type }) => type) })),
    thinking: body.thinking as ClaudeBody['thinking'],
    effort: output?.effort,
    maxTokens: body.max_tokens as number,
    temperature: body.temperature as number | undefined,
    topP: body.top_p as number | undefined,
    forced: choice?.type === 'any' || choice?.type === 'tool',
  };
}

function inConverse(conversation: Conversation, mode: ReasoningSample): ClaudeBody | undefined {
  try {
    const { request } = toConverseCall(conversation, { ...ROUTE, ...mode }, SIGNATURES);
    const modelFields = Object(request.additionalModelRequestFields) as Record<string, unknown>;
    const choice = request.toolConfig?.toolChoice;
    return {
      messages: (request.messages ?? []).map(({ role = '', content = [] }) => ({
        role,
        kinds: content.map((one) => KINDS[Object.keys(one)[0] ?? ''] ?? 'text'),
      })),
      thinking: modelFields.thinking as ClaudeBody['thinking'],
      effort: (modelFields.output_config as { effort?: string } | undefined)?.effort,
      maxTokens: request.inferenceConfig?.maxTokens ?? 0,
      temperature: request.inferenceConfig?.temperature,
      topP: request.inferenceConfig?.topP,
      forced: choice?.any !== undefined || choice?.tool !== undefined,
    };
  } catch (failure) {
    // An image that Bedrock does not take.
    if (failure instanceof UpstreamFailure) return undefined;
    throw failure;
  }
}

const KINDS: Readonly<Record<string, string>> = {
  reasoningContent: 'thinking',
  toolUse: 'tool_use',
  toolResult: 'tool_result',
};

const isThought = (kind: string | undefined) => kind === 'thinking' || kind === 'redacted_thinking';

/** Claude docs, Extended thinking and Adaptive thinking, and the texts of the errors of its server. */
function brokenRules({ messages, thinking, ...sent }: ClaudeBody): string[] {
  const last = messages.at(-1);
  const on = thinking?.type === 'enabled' || thinking?.type === 'adaptive';
  const assistantMessages = messages.filter(({ role }) => role === 'assistant');
  const inToolTurn = last?.kinds.includes('tool_result') === true;
  const budget = thinking?.budget_tokens ?? 0;
  const rules: Record<string, boolean> = {
    'a message with thoughts begins with one': assistantMessages.every(
      ({ kinds }) => !kinds.some(isThought) || isThought(kinds[0]),
    ),
    'no message ends with a thought': assistantMessages.every(({ kinds }) => !isThought(kinds.at(-1))),
    'only an answer has thoughts': messages.every(
      ({ role, kinds }) => role === 'assistant' || !kinds.some(isThought),
    ),
    'no message is empty': messages.every(({ kinds }) => kinds.length > 0),
    'an answer to go on with has no thought': last?.role !== 'assistant' || !last.kinds.some(isThought),
    'no thoughts where thinking is off':
      thinking?.type !== 'disabled' || !assistantMessages.some(({ kinds }) => kinds.some(isThought)),
    'the answer that called tools begins with a thought':
      thinking?.type !== 'enabled' ||
      !inToolTurn ||
      assistantMessages.length === 0 ||
      isThought(assistantMessages.at(-1)?.kinds[0]),
    'no answer to go on with beside a budget': thinking?.type !== 'enabled' || last?.role === 'user',
    'a budget within the answer':
      thinking?.type !== 'enabled' || (budget >= 1_024 && budget < sent.maxTokens),
    'no temperature beside thinking': !on || sent.temperature === undefined,
    'a share of 0.95 or more beside thinking': !on || (sent.topP ?? 1) >= 0.95,
    'no forced call beside thinking': !on || !sent.forced,
    'a known effort': ['low', 'medium', 'high', 'max', undefined].includes(sent.effort),
  };
  return Object.keys(rules).filter((rule) => rules[rule] !== true);
}

describe('a request to Claude', () => {
  it.each([
    ['any conversation', anyConversation],
    ['one whose calls are all answered', soundConversation],
  ])('follows the rules of thinking on either protocol, of %s', (_which, conversations) => {
    const ids = new Set<string | undefined>();
    fc.assert(
      fc.property(conversations, anyMode, (conversation, mode) => {
        for (const request of [inMessages(conversation, mode), inConverse(conversation, mode)]) {
          if (request === undefined) continue;
          ids.add(request.thinking?.type);
          expect(brokenRules(request)).toEqual([]);
        }
      }),
      { numRuns: rounds(300) },
    );
    expect([...ids].toSorted()).toEqual(['adaptive', 'disabled', 'enabled', undefined]);
  });

  it('would break them, were it another', () => {
    const message = { role: 'assistant', kinds: ['text', 'thinking'] };
    const none = {
      thinking: undefined,
      effort: undefined,
      maxTokens: 256,
      temperature: 1,
      topP: 0.9,
      forced: true,
    };
    expect(brokenRules({ ...none, messages: [message] })).toHaveLength(3);
    expect(
      brokenRules({ ...none, messages: [], thinking: { type: 'enabled', budget_tokens: 512 } }),
    ).toHaveLength(5);
  });
});
