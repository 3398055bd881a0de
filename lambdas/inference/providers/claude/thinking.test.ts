import { describe, expect, it } from '@jest/globals';
import type { Conversation, ReasoningRequest, Turn } from '../../core/upstream/conversation.ts';
import { foreignPayload } from '../../testing/providers/anthropic/fixtures.ts';
import { CONVERSATION } from '../../testing/providers/payloads.ts';
import { SIGNATURES, signaturesFor } from '../../testing/providers/sealing.ts';
import { assistant, toolCall as call, text, toolResult, user } from '../../testing/providers/turns.ts';
import { toRequest } from '../anthropic/request.ts';
import { toConverseCall } from '../bedrock/request.ts';
import { sealRouteSignature } from './route-signatures.ts';

type ThinkingMode = 'effort' | 'budget' | 'adaptive' | 'switch';
const CLAUDE = 'us.anthropic.claude-sonnet-4-5-20250929-v1:0';

const routeFor = (mode: ThinkingMode | undefined, model = CLAUDE) => ({
  upstream_model: model,
  reasoning: false,
  ...(mode === undefined ? {} : { dialect: { reasoning_request: mode } }),
});

const bodyFor = (conversation: Partial<Conversation>, mode?: ThinkingMode) =>
  toRequest(foreignPayload(conversation), routeFor(mode), SIGNATURES).body;

const converseFor = (conversation: Partial<Conversation>, mode?: ThinkingMode, model = CLAUDE) =>
  toConverseCall({ ...CONVERSATION, ...conversation }, routeFor(mode, model), SIGNATURES).request;

const requestWith = (reasoning: ReasoningRequest, fields: Partial<Conversation> = {}) => ({
  reasoning,
  maxTokens: 10_000,
  ...fields,
});

/**
 * Returns the reasoning fields of a request. Both protocols send the same; in Converse they are fields of the model.
 */
function requestedReasoning(conversation: Partial<Conversation>, mode?: ThinkingMode) {
  const { thinking, output_config } = bodyFor(conversation, mode);
  const request = {
    ...(thinking === undefined ? {} : { thinking }),
    ...(output_config === undefined ? {} : { output_config }),
  };
  const { additionalModelRequestFields: fields } = converseFor(conversation, mode);
  expect(fields ?? {}).toEqual(request);
  return request;
}

const result = (id: string) => user(toolResult(id, '12:00'));
const shown = {
  type: 'reasoning',
  text: 'Hm.',
  signature: sealRouteSignature({ signature: 'EqQB' }, SIGNATURES),
} as const;
const hidden = {
  type: 'reasoning',
  text: '',
  signature: sealRouteSignature({ redacted: 'AQI=' }, SIGNATURES),
} as const;
const foreign = {
  ...shown,
  signature: sealRouteSignature({ signature: 'x' }, signaturesFor('sim-b')),
} as const;
const unsigned = { type: 'reasoning', text: 'Hm.' } as const;
const raw = { ...unsigned, signature: 'EqQB' } as const;

describe('the thinking of a conversation', () => {
  it.each([
    ['budget', { effort: 'low' }, { thinking: { type: 'enabled', budget_tokens: 2_000 } }],
    ['budget', {}, { thinking: { type: 'enabled', budget_tokens: 5_000 } }],
    ['budget', { maxTokens: 3_000 }, { thinking: { type: 'enabled', budget_tokens: 3_000 } }],
    ['budget', { effort: 'none' }, { thinking: { type: 'disabled' } }],
    ['adaptive', {}, { thinking: { type: 'adaptive', display: 'summarized' } }],
    [
      'adaptive',
      { effort: 'xhigh' },
      { thinking: { type: 'adaptive', display: 'summarized' }, output_config: { effort: 'high' } },
    ],
    [
      'adaptive',
      { maxTokens: 2_100 },
      { thinking: { type: 'adaptive', display: 'summarized' }, output_config: { effort: 'low' } },
    ],
    ['adaptive', { effort: 'none' }, { thinking: { type: 'disabled' } }],
    ['effort', { effort: 'max' }, { output_config: { effort: 'max' } }],
    ['switch', { effort: 'low' }, { thinking: { type: 'enabled' } }],
    [undefined, { effort: 'high' }, {}],
  ] as const)('follows the mode of the route: %s, %j', (mode, reasoning, request) => {
    expect(requestedReasoning(requestWith(reasoning), mode)).toEqual(request);
  });

  it('starts only if the caller requests it and the output has enough tokens', () => {
    expect(requestedReasoning({ maxTokens: 10_000 }, 'budget')).toEqual({});
    expect(requestedReasoning(requestWith({ effort: 'high' }, { maxTokens: 1_024 }), 'budget')).toEqual({});
  });

  it('omits the sampling and the forced call that Claude rejects in addition to it', () => {
    const tools = [{ name: 'f', parameters: { type: 'object' } }];
    const settings = { temperature: 0.7, tools, toolChoice: { type: 'any' } } as const;
    const body = bodyFor(requestWith({}, { ...settings, parallelToolCalls: false }), 'budget');
    expect(body).not.toHaveProperty('temperature');
    expect(body.tool_choice).toEqual({ type: 'auto', disable_parallel_tool_use: true });
    const request = converseFor(requestWith({}, settings), 'adaptive');
    expect(request.inferenceConfig).toEqual({ maxTokens: 10_000 });
    expect(request.toolConfig).not.toHaveProperty('toolChoice');
    for (const [topP, sentTopP] of [[0.9], [0.95, 0.95]] as const) {
      expect(bodyFor(requestWith({}, { topP }), 'budget').top_p).toBe(sentTopP);
      expect(converseFor(requestWith({}, { topP }), 'budget').inferenceConfig?.topP).toBe(sentTopP);
    }
    // A control: without thinking all of it is sent.
    expect(bodyFor(requestWith({ effort: 'none' }, settings), 'budget')).toMatchObject({
      temperature: 0.7,
      tool_choice: { type: 'any' },
    });
  });

  it('requests JSON by text, not by a forced call', () => {
    const body = bodyFor(requestWith({}, { format: { type: 'json' } }), 'budget');
    expect(body).not.toHaveProperty('tools');
    expect(body.system).toContain('one JSON object');
    const schema = { type: 'object', properties: {}, additionalProperties: false };
    const format = { type: 'json-schema', schema } as const;
    expect(bodyFor(requestWith({ effort: 'low' }, { format }), 'adaptive').output_config).toEqual({
      effort: 'low',
      format: { type: 'json_schema', schema },
    });
  });

  it('uses only an effort for other models of Bedrock', () => {
    const fieldsOf = (reasoning: ReasoningRequest, mode: ThinkingMode) =>
      converseFor(requestWith(reasoning), mode, 'openai.gpt-oss-120b-1:0').additionalModelRequestFields;
    expect(fieldsOf({ effort: 'minimal' }, 'effort')).toEqual({ reasoning_effort: 'low' });
    expect(fieldsOf({ effort: 'max' }, 'effort')).toEqual({ reasoning_effort: 'high' });
    expect(fieldsOf({ maxTokens: 5_000 }, 'effort')).toEqual({ reasoning_effort: 'medium' });
    expect(fieldsOf({}, 'effort')).toBeUndefined();
    expect(fieldsOf({ effort: 'high' }, 'budget')).toBeUndefined();
  });
});

describe('the reasoning of earlier responses', () => {
  const contentBlocksOf = (turns: readonly Turn[], mode: ThinkingMode = 'adaptive') => {
    const { messages } = bodyFor(requestWith({}, { turns }), mode) as { messages: { content: unknown[] }[] };
    return messages[1]?.content;
  };
  const converseBlocksOf = (turns: readonly Turn[], mode: ThinkingMode = 'adaptive') =>
    converseFor(requestWith({}, { turns }), mode).messages?.[1]?.content;

  const THINKING = { type: 'thinking', thinking: 'Hm.', signature: 'EqQB' };
  const USE = { type: 'tool_use', id: 'c', name: 'f', input: {} };

  it.each([
    ['another route’s', foreign],
    ['unsigned', unsigned],
    ['not sealed by the service', raw],
  ])('disappears if it is %s', (_what, reasoning) => {
    const turns = [user('a'), assistant(reasoning, 'b'), user('c')];
    expect(contentBlocksOf(turns)).toEqual([text('b')]);
    expect(converseBlocksOf(turns)).toEqual([{ text: 'b' }]);
    const alone = [user('a'), assistant(reasoning), user('c')];
    expect(bodyFor(requestWith({}, { turns: alone })).messages).toEqual([
      { role: 'user', content: [text('a'), text('c')] },
    ]);
  });

  it('comes first in its message and never last, and disappears from a response that the model continues', () => {
    expect(contentBlocksOf([user('a'), assistant('b'), assistant(shown, call('c')), result('c')])).toEqual([
      THINKING,
      text('b'),
      USE,
    ]);
    expect(contentBlocksOf([user('a'), assistant(shown, 'b', hidden), user('c')])).toEqual([
      THINKING,
      text('b'),
    ]);
    expect(contentBlocksOf([user('a'), assistant(shown), user('c')])).toBeUndefined();
    expect(contentBlocksOf([user('a'), assistant(shown, 'b')])).toEqual([text('b')]);
  });

  it('disappears if the request does not enable thinking', () => {
    const turns = [user('a'), assistant(shown, call('c')), result('c')];
    const none = requestWith({ effort: 'none' }, { turns });
    expect((bodyFor(none, 'adaptive').messages as { content: unknown }[])[1]?.content).toEqual([USE]);
    expect((bodyFor({ turns }, 'budget').messages as { content: unknown }[])[1]?.content).toEqual([USE]);
  });
});

describe('thinking with a budget', () => {
  const thinkingOf = (...turns: readonly Turn[]) =>
    requestedReasoning(requestWith({}, { turns }), 'budget').thinking;
  const ON = { type: 'enabled', budget_tokens: 5_000 };
  const OFF = { type: 'disabled' };

  it('continues if the response that called the tools starts with its thinking', () => {
    expect(thinkingOf(user('a'), assistant(shown, call('c')), result('c'))).toEqual(ON);
    expect(thinkingOf(user('a'), assistant(hidden, call('c')), result('c'))).toEqual(ON);
  });

  it.each([
    ['has none', []],
    ['has another route’s', [foreign]],
    ['has one without proof', [unsigned]],
  ])('turns off if the response in the tool turn %s, because Claude would reject it', (_what, reasoning) => {
    const first = assistant(...reasoning, call('c'));
    expect(thinkingOf(user('a'), first, result('c'))).toEqual(OFF);
    expect(thinkingOf(user('a'), assistant(shown, call('b')), result('b'), first, result('c'))).toEqual(OFF);
    expect(thinkingOf(user('a'), first, result('c'), assistant(shown, call('b')), result('b'))).toEqual(OFF);
  });

  it('turns off if the model continues a response, and on again with the next question', () => {
    expect(thinkingOf(user('a'), assistant('b'))).toEqual(OFF);
    expect(thinkingOf(user('a'), assistant(call('c')), result('c'), assistant('b'), user('d'))).toEqual(ON);
  });

  it('sends no thinking if it is off, and retains the other fields', () => {
    const turns = [user('a'), assistant(shown, 'b'), user('c'), assistant(call('d')), result('d')];
    const body = bodyFor(requestWith({}, { turns, temperature: 0.7 }), 'budget');
    expect(body).toMatchObject({ thinking: OFF, temperature: 0.7 });
    expect(JSON.stringify(body)).not.toContain('EqQB');
  });

  it('stays on if it is adaptive and the tool turn lacks its thought, because Claude accepts such a turn', () => {
    const request = requestedReasoning(
      requestWith({}, { turns: [user('a'), assistant(call('c')), result('c')] }),
      'adaptive',
    );
    expect(request.thinking).toMatchObject({ type: 'adaptive' });
  });
});
