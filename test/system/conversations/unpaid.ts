import { describe, expect, it } from '@jest/globals';
import { Payer } from '../payer.ts';
import { service } from './service.ts';

const payer = Payer.ofTests(service, '0.01');

/** Each of the models below twice, streaming and not. */
const CALLS = 6;

/** Prompt of 60 KB, in letters that no tokenizer has words of: more than a cent's worth of any of the models below. */
const HIDDEN = 'ⰰⰱⰲⰳ'.repeat(5_000);

const user = (content: unknown) => [{ role: 'user', content }];
const spoken = (fields: object) => [
  ...user('Hi'),
  { role: 'assistant', content: 'Hi', ...fields },
  ...user('Hi'),
];

const CHAT: Record<string, object> = {
  content: { messages: user(HIDDEN) },
  refusal: { messages: spoken({ refusal: HIDDEN }) },
  reasoning_content: { messages: spoken({ reasoning_content: HIDDEN }) },
  tool_calls: {
    messages: [
      ...user('Hi'),
      {
        role: 'assistant',
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: HIDDEN } }],
      },
      { role: 'tool', tool_call_id: 'c', content: 'done' },
    ],
  },
  functions: { messages: user('Hi'), functions: [{ name: 'f', description: HIDDEN }] },
  prediction: { messages: user('Hi'), prediction: { type: 'content', content: HIDDEN } },
  metadata: { messages: user('Hi'), metadata: { deep: [HIDDEN] } },
  'the description of a tool': {
    messages: user('Hi'),
    tools: [{ type: 'function', function: { name: 'f', description: HIDDEN } }],
  },
};

const MESSAGES: Record<string, object> = {
  system: { messages: user('Hi'), system: HIDDEN },
  thinking: {
    messages: [
      ...user('Hi'),
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: HIDDEN, signature: 's' },
          { type: 'text', text: 'Hi' },
        ],
      },
      ...user('Hi'),
    ],
  },
  'a document': {
    messages: user([{ type: 'document', source: { type: 'text', media_type: 'text/plain', data: HIDDEN } }]),
  },
};

const MODELS = ['sim/chat-anthropic', 'sim/chat-bedrock', 'sim/chat-large'];

const cases = [
  ...Object.entries(CHAT).map(([where, fields]) => ({ path: '/v1/chat/completions', where, fields })),
  ...Object.entries(MESSAGES).map(([where, fields]) => ({ path: '/v1/messages', where, fields })),
];

describe.each(cases)('an account with a cent and 60 KB of prompt in $where ($path)', ({ path, fields }) => {
  it(`draws nothing unpaid by ${CALLS} calls at once`, async () => {
    const statuses = await Promise.all(
      Array.from({ length: CALLS }, async (_, at) => {
        const model = MODELS[at % MODELS.length];
        const body = { model, max_tokens: 1, stream: at % 2 === 1, ...fields };
        const response = await payer.post(path, body);
        await response.text();
        return response.status;
      }),
    );
    // Not every route can carry every part.
    expect(statuses).toContain(402);
    expect(statuses.filter((status) => status !== 402 && status !== 400)).toEqual([]);
    expect(await payer.wallet()).toEqual({ balance: 10_000_000, held: 0 });
  });
});
