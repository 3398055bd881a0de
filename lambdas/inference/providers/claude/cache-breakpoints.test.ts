import { describe, expect, it } from '@jest/globals';
import type { CacheLifetime, Conversation, Turn } from '../../core/upstream/conversation.ts';
import { foreignPayload } from '../../testing/providers/anthropic/fixtures.ts';
import { SIGNATURES } from '../../testing/providers/sealing.ts';
import { toRequest } from '../anthropic/request.ts';
import { toConverseCall } from '../bedrock/request.ts';

const CLAUDE = { upstream_model: 'us.anthropic.claude-haiku-4-5-20251001-v1:0', reasoning: false };
const NOVA = { upstream_model: 'us.amazon.nova-lite-v1:0', reasoning: false };

const textBlock = (text: string, cache?: CacheLifetime) =>
  ({ type: 'text', text, ...(cache === undefined ? {} : { cache }) }) as const;

const tool = (name: string, cache?: CacheLifetime) => ({
  name,
  parameters: { type: 'object' },
  ...(cache === undefined ? {} : { cache }),
});

const CONVERSATION_WITH_BREAKPOINTS: Conversation = {
  system: ['Be brief.', 'Be kind.'],
  systemCache: new Map([[0, '1h']]),
  tools: [tool('f'), tool('g', '1h')],
  turns: [
    { role: 'user', parts: [textBlock('a', '5m'), textBlock('b')] },
    { role: 'assistant', parts: [{ type: 'tool-call', id: 't', name: 'f', arguments: '{}' }] },
    {
      role: 'user',
      parts: [{ type: 'tool-result', id: 't', content: [textBlock('x')], isError: false, cache: '5m' }],
    },
  ],
  maxTokens: 9,
  stop: [],
};

const messagesBody = (conversation: Conversation) =>
  toRequest(foreignPayload(conversation), CLAUDE, SIGNATURES).body;

const converse = (conversation: Conversation, route = CLAUDE) =>
  toConverseCall(conversation, route, SIGNATURES).request;

const point = { cachePoint: { type: 'default' } };
const hourPoint = { cachePoint: { type: 'default', ttl: '1h' } };
const control = { cache_control: { type: 'ephemeral' } };
const hourControl = { cache_control: { type: 'ephemeral', ttl: '1h' } };

describe('content with cache breakpoints of the caller', () => {
  it('receives a cache breakpoint in a request of the Messages protocol', () => {
    expect(messagesBody(CONVERSATION_WITH_BREAKPOINTS)).toMatchObject({
      system: [
        { type: 'text', text: 'Be brief.', ...hourControl },
        { type: 'text', text: 'Be kind.' },
      ],
      tools: [
        { name: 'f', input_schema: { type: 'object' } },
        { name: 'g', input_schema: { type: 'object' }, ...hourControl },
      ],
      messages: [
        {
          content: [
            { type: 'text', text: 'a', ...control },
            { type: 'text', text: 'b' },
          ],
        },
        { content: [{ type: 'tool_use' }] },
        { content: [{ type: 'tool_result', ...control }] },
      ],
    });
    expect(JSON.stringify(messagesBody(CONVERSATION_WITH_BREAKPOINTS)).match(/cache_control/g)).toHaveLength(
      4,
    );
    expect(JSON.stringify(messagesBody(CONVERSATION_WITH_BREAKPOINTS))).not.toContain('"cache"');
  });

  it('precedes a cache point in Converse', () => {
    const { system, toolConfig, messages } = converse(CONVERSATION_WITH_BREAKPOINTS);
    expect(system).toEqual([{ text: 'Be brief.' }, hourPoint, { text: 'Be kind.' }]);
    expect(toolConfig?.tools).toEqual([
      { toolSpec: expect.objectContaining({ name: 'f' }) },
      { toolSpec: expect.objectContaining({ name: 'g' }) },
      hourPoint,
    ]);
    expect(messages?.map(({ content }) => content)).toEqual([
      [{ text: 'a' }, point, { text: 'b' }],
      [{ toolUse: expect.anything() }],
      [{ toolResult: expect.anything() }, point],
    ]);
  });

  it('receives no cache point among the tools if the model does not cache them', () => {
    const { system, toolConfig } = converse(CONVERSATION_WITH_BREAKPOINTS, NOVA);
    expect(JSON.stringify(toolConfig)).not.toContain('cachePoint');
    expect(system).toContainEqual(hourPoint);
  });

  it('receives no cache breakpoint if it is blank, because both protocols reject an empty content part', () => {
    const empty: Conversation = {
      ...CONVERSATION_WITH_BREAKPOINTS,
      system: [' '],
      turns: [{ role: 'user', parts: [textBlock('\n', '5m'), textBlock('b')] }],
      tools: [],
    };
    expect(JSON.stringify(messagesBody(empty))).not.toContain('cache_control');
    expect(JSON.stringify(converse(empty))).not.toContain('cachePoint');
  });

  it('keeps the last four cache breakpoints, the maximum of both protocols', () => {
    const parts = ['a', 'b', 'c'].map((text) => textBlock(text, '5m'));
    const turns: Turn[] = [{ role: 'user', parts }];
    const { system, toolConfig, messages } = converse({ ...CONVERSATION_WITH_BREAKPOINTS, turns });
    expect(JSON.stringify(toolConfig)).not.toContain('cachePoint');
    expect(system).toContainEqual(hourPoint);
    expect(messages?.[0]?.content?.filter((block) => block.cachePoint !== undefined)).toHaveLength(3);
  });

  it('expires no later than the content before it, because both protocols reject a longer lifetime', () => {
    const turns: Turn[] = [{ role: 'user', parts: [textBlock('a', '5m'), textBlock('b', '1h')] }];
    expect(converse({ ...CONVERSATION_WITH_BREAKPOINTS, turns }).messages?.[0]?.content).toEqual([
      { text: 'a' },
      point,
      { text: 'b' },
      point,
    ]);
  });
});
