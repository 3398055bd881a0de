import { describe, expect, it } from '@jest/globals';
import type {
  AssistantPart,
  Conversation,
  ReasoningRequest,
  Turn,
} from '../../core/upstream/conversation.ts';
import { CONVERSATION, foreignPayload } from '../../testing/providers/anthropic/fixtures.ts';
import { SIGNATURES, signaturesFor } from '../../testing/providers/sealing.ts';
import { toRequest } from '../anthropic/request.ts';
import { toConverseCall } from '../bedrock/request.ts';
import { sealProof } from './proofs.ts';

type Way = 'effort' | 'budget' | 'adaptive' | 'switch';
const CLAUDE = 'us.anthropic.claude-sonnet-4-5-20250929-v1:0';

const routeFor = (way: Way | undefined, model = CLAUDE) => ({
  upstream_model: model,
  reasoning: false,
  ...(way === undefined ? {} : { dialect: { reasoning_request: way } }),
});

const bodyFor = (conversation: Partial<Conversation>, way?: Way) =>
  toRequest(foreignPayload(conversation), routeFor(way), SIGNATURES).body;

const converseFor = (conversation: Partial<Conversation>, way?: Way, model = CLAUDE) =>
  toConverseCall({ ...CONVERSATION, ...conversation }, routeFor(way, model), SIGNATURES).request;

const asking = (reasoning: ReasoningRequest, more: Partial<Conversation> = {}) => ({
  reasoning,
  maxTokens: 10_000,
  ...more,
});

/**
 * Returns the reasoning fields of a request. Both protocols send the same; in Converse they are fields of the model.
 */
function askedOf(conversation: Partial<Conversation>, way?: Way) {
  const { thinking, output_config } = bodyFor(conversation, way);
  const asked = {
    ...(thinking === undefined ? {} : { thinking }),
    ...(output_config === undefined ? {} : { output_config }),
  };
  const { additionalModelRequestFields: more } = converseFor(conversation, way);
  expect(more ?? {}).toEqual(asked);
  return asked;
}

const user = (text: string): Turn => ({ role: 'user', parts: [{ type: 'text', text }] });
const assistant = (...parts: readonly AssistantPart[]): Turn => ({ role: 'assistant', parts });
const text = (said: string) => ({ type: 'text', text: said }) as const;
const call = (id: string) => ({ type: 'tool-call', id, name: 'f', arguments: '{}' }) as const;
const result = (id: string): Turn => ({
  role: 'user',
  parts: [{ type: 'tool-result', id, content: [text('12:00')], isError: false }],
});
const shown = {
  type: 'reasoning',
  text: 'Hm.',
  signature: sealProof({ signature: 'EqQB' }, SIGNATURES),
} as const;
const hidden = {
  type: 'reasoning',
  text: '',
  signature: sealProof({ redacted: 'AQI=' }, SIGNATURES),
} as const;
const foreign = { ...shown, signature: sealProof({ signature: 'x' }, signaturesFor('sim-b')) } as const;
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
  ] as const)('follows the mode of the route: %s, %j', (way, reasoning, asked) => {
    expect(askedOf(asking(reasoning), way)).toEqual(asked);
  });

  it('starts only if the caller requests it and the output has enough tokens', () => {
    expect(askedOf({ maxTokens: 10_000 }, 'budget')).toEqual({});
    expect(askedOf(asking({ effort: 'high' }, { maxTokens: 1_024 }), 'budget')).toEqual({});
  });

  it('leaves out the sampling and the forced call that Claude refuses beside it', () => {
    const tools = [{ name: 'f', parameters: { type: 'object' } }];
    const given = { temperature: 0.7, tools, toolChoice: { type: 'any' } } as const;
    const body = bodyFor(asking({}, { ...given, parallelToolCalls: false }), 'budget');
    expect(body).not.toHaveProperty('temperature');
    expect(body.tool_choice).toEqual({ type: 'auto', disable_parallel_tool_use: true });
    const request = converseFor(asking({}, given), 'adaptive');
    expect(request.inferenceConfig).toEqual({ maxTokens: 10_000 });
    expect(request.toolConfig).not.toHaveProperty('toolChoice');
    for (const [topP, sent] of [[0.9], [0.95, 0.95]] as const) {
      expect(bodyFor(asking({}, { topP }), 'budget').top_p).toBe(sent);
      expect(converseFor(asking({}, { topP }), 'budget').inferenceConfig?.topP).toBe(sent);
    }
    // A control: without thinking all of it is sent.
    expect(bodyFor(asking({ effort: 'none' }, given), 'budget')).toMatchObject({
      temperature: 0.7,
      tool_choice: { type: 'any' },
    });
  });

  it('asks for JSON by a text, not by a call', () => {
    const body = bodyFor(asking({}, { format: { type: 'json' } }), 'budget');
    expect(body).not.toHaveProperty('tools');
    expect(body.system).toContain('one JSON object');
    const schema = { type: 'object', properties: {}, additionalProperties: false };
    const format = { type: 'json-schema', schema } as const;
    expect(bodyFor(asking({ effort: 'low' }, { format }), 'adaptive').output_config).toEqual({
      effort: 'low',
      format: { type: 'json_schema', schema },
    });
  });

  it('uses only an effort for other models of Bedrock', () => {
    const fieldsOf = (reasoning: ReasoningRequest, way: Way) =>
      converseFor(asking(reasoning), way, 'openai.gpt-oss-120b-1:0').additionalModelRequestFields;
    expect(fieldsOf({ effort: 'minimal' }, 'effort')).toEqual({ reasoning_effort: 'low' });
    expect(fieldsOf({ effort: 'max' }, 'effort')).toEqual({ reasoning_effort: 'high' });
    expect(fieldsOf({ maxTokens: 5_000 }, 'effort')).toEqual({ reasoning_effort: 'medium' });
    expect(fieldsOf({}, 'effort')).toBeUndefined();
    expect(fieldsOf({ effort: 'high' }, 'budget')).toBeUndefined();
  });
});

describe('the reasoning of earlier responses', () => {
  const blocksOf = (turns: readonly Turn[], way: Way = 'adaptive') => {
    const { messages } = bodyFor(asking({}, { turns }), way) as { messages: { content: unknown[] }[] };
    return messages[1]?.content;
  };
  const converseBlocksOf = (turns: readonly Turn[], way: Way = 'adaptive') =>
    converseFor(asking({}, { turns }), way).messages?.[1]?.content;

  const THINKING = { type: 'thinking', thinking: 'Hm.', signature: 'EqQB' };
  const REDACTED = { type: 'redacted_thinking', data: 'AQI=' };
  const USE = { type: 'tool_use', id: 'c', name: 'f', input: {} };

  it('returns unchanged to the route that produced it', () => {
    const turns = [user('a'), assistant(shown, hidden, text('b'), call('c')), result('c')];
    expect(blocksOf(turns)).toEqual([THINKING, REDACTED, text('b'), USE]);
    expect(converseBlocksOf(turns)).toEqual([
      { reasoningContent: { reasoningText: { text: 'Hm.', signature: 'EqQB' } } },
      { reasoningContent: { redactedContent: Buffer.from([1, 2]) } },
      { text: 'b' },
      { toolUse: { toolUseId: 'c', name: 'f', input: {} } },
    ]);
  });

  it.each([
    ['another route’s', foreign],
    ['unsigned', unsigned],
    ['not sealed by the service', raw],
  ])('disappears if it is %s', (_what, reasoning) => {
    const turns = [user('a'), assistant(reasoning, text('b')), user('c')];
    expect(blocksOf(turns)).toEqual([text('b')]);
    expect(converseBlocksOf(turns)).toEqual([{ text: 'b' }]);
    const alone = [user('a'), assistant(reasoning), user('c')];
    expect(bodyFor(asking({}, { turns: alone })).messages).toEqual([
      { role: 'user', content: [text('a'), text('c')] },
    ]);
  });

  it('comes first in its message and never last, and disappears from a response that the model continues', () => {
    expect(blocksOf([user('a'), assistant(text('b')), assistant(shown, call('c')), result('c')])).toEqual([
      THINKING,
      text('b'),
      USE,
    ]);
    expect(blocksOf([user('a'), assistant(shown, text('b'), hidden), user('c')])).toEqual([
      THINKING,
      text('b'),
    ]);
    expect(blocksOf([user('a'), assistant(shown), user('c')])).toBeUndefined();
    expect(blocksOf([user('a'), assistant(shown, text('b'))])).toEqual([text('b')]);
  });

  it('disappears if the request asks for no thinking', () => {
    const turns = [user('a'), assistant(shown, call('c')), result('c')];
    const none = asking({ effort: 'none' }, { turns });
    expect((bodyFor(none, 'adaptive').messages as { content: unknown }[])[1]?.content).toEqual([USE]);
    expect((bodyFor({ turns }, 'budget').messages as { content: unknown }[])[1]?.content).toEqual([USE]);
  });
});

describe('thinking with a budget', () => {
  const thinkingOf = (...turns: readonly Turn[]) => askedOf(asking({}, { turns }), 'budget').thinking;
  const ON = { type: 'enabled', budget_tokens: 5_000 };
  const OFF = { type: 'disabled' };

  it('goes on where the answer that called the tools begins with its thought', () => {
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
    expect(thinkingOf(user('a'), assistant(text('b')))).toEqual(OFF);
    expect(thinkingOf(user('a'), assistant(call('c')), result('c'), assistant(text('b')), user('d'))).toEqual(
      ON,
    );
  });

  it('sends no thought if it is off, and keeps the other fields', () => {
    const turns = [user('a'), assistant(shown, text('b')), user('c'), assistant(call('d')), result('d')];
    const body = bodyFor(asking({}, { turns, temperature: 0.7 }), 'budget');
    expect(body).toMatchObject({ thinking: OFF, temperature: 0.7 });
    expect(JSON.stringify(body)).not.toContain('EqQB');
  });

  it('adaptive thinking stays on if the tool turn lacks its thought, because Claude accepts such a turn', () => {
    const asked = askedOf(asking({}, { turns: [user('a'), assistant(call('c')), result('c')] }), 'adaptive');
    expect(asked.thinking).toMatchObject({ type: 'adaptive' });
  });
});
