import { describe, expect, it } from '@jest/globals';
import { CLAUDE_HEADERS, runningUpstream, SIGNED_HEADERS } from './running-upstream.ts';

const upstream = runningUpstream();

const system = 'You are terse.';
const schema = {
  type: 'object',
  properties: { place: { type: 'string' }, days: { type: 'integer' } },
  required: ['place', 'days'],
  additionalProperties: false,
};
const tool = { name: 'forecast', description: 'The weather to come' };
const args = { place: 'Oslo', days: 2 };

const chatTools = [{ type: 'function', function: { ...tool, parameters: schema } }];
const chat = (messages: object[], over: object = {}) => ({
  model: 'sim',
  messages: [{ role: 'system', content: system }, ...messages],
  max_tokens: 500,
  ...over,
});
const claudeTools = [{ ...tool, input_schema: schema }];
const claude = (messages: object[], over: object = {}) => ({
  model: 'sim',
  system,
  messages,
  max_tokens: 500,
  ...over,
});
const toolConfig = { tools: [{ toolSpec: { ...tool, inputSchema: { json: schema } } }] };
const converse = (messages: object[], over: object = {}) => ({
  system: [{ text: system }],
  messages,
  inferenceConfig: { maxTokens: 500 },
  ...over,
});

interface Said {
  readonly text: string;
  readonly calls: readonly object[];
  readonly tokens: readonly [number, number];
}

async function chatSays(body: object): Promise<Said> {
  const { choices, usage } = JSON.parse(await (await upstream.post(body)).text());
  const { content, tool_calls: calls = [] } = choices[0].message;
  return {
    text: content ?? '',
    calls: calls.map(({ function: { name, arguments: text } }: { function: Record<string, string> }) => ({
      name,
      input: JSON.parse(text ?? ''),
    })),
    tokens: [usage.prompt_tokens, usage.completion_tokens],
  };
}

async function claudeSays(body: object): Promise<Said> {
  const response = await upstream.postTo('/v1/messages', body, { headers: CLAUDE_HEADERS });
  const { content, usage } = JSON.parse(await response.text());
  const blocks: { type: string; text?: string; name?: string; input?: object }[] = content;
  return {
    text: blocks.map(({ text = '' }) => text).join(''),
    calls: blocks.filter(({ type }) => type === 'tool_use').map(({ name, input }) => ({ name, input })),
    tokens: [usage.input_tokens, usage.output_tokens],
  };
}

async function converseSays(body: object): Promise<Said> {
  const response = await upstream.postTo('/model/sim/converse', body, { headers: SIGNED_HEADERS });
  const { output, usage } = JSON.parse(await response.text());
  const blocks: { text?: string; toolUse?: { name: string; input: object } }[] = output.message.content;
  return {
    text: blocks.map(({ text = '' }) => text).join(''),
    calls: blocks.flatMap(({ toolUse }) => (toolUse ? [{ name: toolUse.name, input: toolUse.input }] : [])),
    tokens: [usage.inputTokens, usage.outputTokens],
  };
}

describe('the three wire formats', () => {
  it('give the same words for the same prompt, at the same price', async () => {
    const said = await chatSays(chat([{ role: 'user', content: 'Tell me of Oslo' }]));
    expect(said.text).not.toBe('');
    expect(await claudeSays(claude([{ role: 'user', content: 'Tell me of Oslo' }]))).toEqual(said);
    const content = [{ text: 'Tell me of Oslo' }];
    expect(await converseSays(converse([{ role: 'user', content }]))).toEqual(said);
  });

  it('call the same tools with the same arguments, and say the same of the results', async () => {
    const ask = 'Use forecast for Oslo';
    const said = await chatSays(chat([{ role: 'user', content: ask }], { tools: chatTools }));
    expect(said.calls).toHaveLength(1);
    const messages = [{ role: 'user', content: ask }];
    expect(await claudeSays(claude(messages, { tools: claudeTools }))).toEqual(said);
    const turn = [{ role: 'user', content: [{ text: ask }] }];
    expect(await converseSays(converse(turn, { toolConfig }))).toEqual(said);

    const spoken = JSON.stringify(args, null, 1);
    const call = { id: 'call_1', type: 'function', function: { name: 'forecast', arguments: spoken } };
    const chatTurns = [
      ...messages,
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'call_1', content: 'rain' },
    ];
    const use = { type: 'tool_use', id: 'toolu_9', name: 'forecast', input: args };
    const claudeTurns = [
      ...messages,
      { role: 'assistant', content: [use] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_9', content: 'rain' }] },
    ];
    const converseTurns = [
      ...turn,
      { role: 'assistant', content: [{ toolUse: { toolUseId: 't', name: 'forecast', input: args } }] },
      { role: 'user', content: [{ toolResult: { toolUseId: 't', content: [{ text: 'rain' }] } }] },
    ];
    const { text } = await chatSays(chat(chatTurns, { tools: chatTools }));
    expect(text).toContain('rain');
    expect((await claudeSays(claude(claudeTurns, { tools: claudeTools }))).text).toBe(text);
    expect((await converseSays(converse(converseTurns, { toolConfig }))).text).toBe(text);
  });

  it('make the same instance of a schema', async () => {
    const json_schema = { name: 'trip', schema };
    const messages = [{ role: 'user', content: 'A trip' }];
    const chatOver = { response_format: { type: 'json_schema', json_schema } };
    const { text } = await chatSays(chat(messages, chatOver));
    const claudeOver = { output_config: { format: { type: 'json_schema', schema } } };
    expect((await claudeSays(claude(messages, claudeOver))).text).toBe(text);
    const structure = { jsonSchema: { schema: JSON.stringify(schema) } };
    const converseOver = { outputConfig: { textFormat: { type: 'json_schema', structure } } };
    const turn = [{ role: 'user', content: [{ text: 'A trip' }] }];
    expect((await converseSays(converse(turn, converseOver))).text).toBe(text);
  });
});
