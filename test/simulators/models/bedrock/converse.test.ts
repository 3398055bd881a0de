import {
  type ContentBlock,
  ConverseCommand,
  type ConverseCommandInput,
  type ConverseCommandOutput,
  type Message,
} from '@aws-sdk/client-bedrock-runtime';
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { countTokens } from '../../../../simulators/models/model/tokens.ts';
import { runningUpstream, SIGNED_HEADERS } from '../running-upstream.ts';

const upstream = runningUpstream();
const user = (...content: ContentBlock[]): Message => ({ role: 'user', content });
const saying = (text: string) => ({ messages: [user({ text })] });
const converse = (over: Partial<ConverseCommandInput> = {}) =>
  upstream.bedrock().send(new ConverseCommand({ modelId: 'sim-small', ...saying('hello'), ...over }));

const contentOf = ({ output }: ConverseCommandOutput): ContentBlock[] => output?.message?.content ?? [];
const textOf = (answer: ConverseCommandOutput): string =>
  contentOf(answer)
    .flatMap(({ text }) => text ?? [])
    .join('|');
const callsOf = (answer: ConverseCommandOutput) => contentOf(answer).flatMap(({ toolUse }) => toolUse ?? []);

const schema = {
  type: 'object',
  properties: { city: { type: 'string' }, unit: { enum: ['celsius', 'fahrenheit'] } },
  required: ['city', 'unit'],
  additionalProperties: false,
};
const weatherInput = z.strictObject({ city: z.string(), unit: z.enum(['celsius', 'fahrenheit']) });
const tools = [
  { toolSpec: { name: 'get_weather', description: 'The weather', inputSchema: { json: schema } } },
  { toolSpec: { name: 'get-time', inputSchema: { json: { type: 'object' } } } },
];

describe('a Converse answer', () => {
  it('has the fields of the documented response, and usage that counts its text', async () => {
    const answer = await converse();
    const outputTokens = countTokens(textOf(answer));
    expect(answer).toMatchObject({
      output: { message: { role: 'assistant', content: [{ text: expect.any(String) }] } },
      stopReason: 'end_turn',
      usage: { outputTokens, cacheReadInputTokens: 0, cacheWriteInputTokens: 0 },
      metrics: { latencyMs: expect.any(Number) },
      $metadata: { requestId: expect.stringMatching(/^[0-9a-f-]{36}$/) },
    });
    expect(answer.usage?.totalTokens).toBe((answer.usage?.inputTokens ?? 0) + outputTokens);
  });

  it('finds the model in the path, names with slashes and colons included', async () => {
    const modelId = 'arn:aws:bedrock:eu-central-1:1:inference-profile/eu.maker.model-v1:0';
    await upstream.fault({ status: 503 }, { model: modelId });
    await expect(converse({ modelId })).rejects.toMatchObject({ name: 'ServiceUnavailableException' });
    expect((await converse({ modelId })).stopReason).toBe('end_turn');
    expect(await upstream.lastRequest()).toMatchObject({
      method: 'POST',
      path: `/model/${encodeURIComponent(modelId)}/converse`,
      headers: { authorization: expect.stringContaining('/bedrock/aws4_request') },
      body: saying('hello'),
      outcome: 'completed',
    });
  });

  it('repeats Unicode exactly, and follows the system blocks', async () => {
    const text = 'Größe 👩‍👩‍👧‍👦\n𝒳 = ∑ᵢ xᵢ “quoted” שלום 日本語';
    expect(textOf(await converse(saying(`Repeat exactly: ${text}`)))).toBe(text);
    const system = [{ text: 'Whatever is asked, reply with exactly: PONG' }];
    expect(textOf(await converse({ system }))).toBe('PONG');
  });

  it('is cut at maxTokens, ends at a stop sequence, and names the one that ended it when asked', async () => {
    const cut = await converse({ ...saying('write 200 words'), inferenceConfig: { maxTokens: 13 } });
    expect(cut).toMatchObject({ stopReason: 'max_tokens', usage: { outputTokens: 13 } });
    const stopped = await converse({
      ...saying('Repeat exactly: alpha beta gamma'),
      inferenceConfig: { stopSequences: [' gamma'], temperature: 1 },
      additionalModelResponseFieldPaths: ['/stop_sequence'],
    });
    expect(textOf(stopped)).toBe('alpha beta');
    expect(stopped).toMatchObject({
      stopReason: 'stop_sequence',
      additionalModelResponseFields: { stop_sequence: ' gamma' },
    });
  });

  it('is filtered when a fault makes the model refuse', async () => {
    await upstream.fault({ refusal: true });
    expect(await converse()).toMatchObject({ stopReason: 'content_filtered' });
  });

  it('sees images, and reads documents', async () => {
    const image = { format: 'png' as const, source: { bytes: Buffer.from('bytes') } };
    const seen = await converse({ messages: [user({ image }, { image }, { text: 'look' })] });
    expect(textOf(seen)).toContain('2 images');
    const document = { name: 'notes', format: 'txt' as const, source: { text: 'Say exactly: read' } };
    expect(textOf(await converse({ messages: [user({ document })] }))).toBe('read');
  });

  it('calls a forced tool with input that satisfies its schema, and every tool the user names', async () => {
    for (const toolChoice of [{ any: {} }, { tool: { name: 'get_weather' } }]) {
      const answer = await converse({ toolConfig: { tools, toolChoice } });
      expect(answer.stopReason).toBe('tool_use');
      expect(callsOf(answer)).toMatchObject([
        { toolUseId: expect.stringMatching(/^tooluse_/), name: 'get_weather' },
      ]);
      weatherInput.parse(callsOf(answer)[0]?.input);
    }
    const both = await converse({ ...saying('Use get-time and get_weather'), toolConfig: { tools } });
    expect(callsOf(both).map(({ name }) => name)).toEqual(['get-time', 'get_weather']);
    expect(callsOf(both)[0]?.input).toEqual({});
  });

  it('goes on in text after the results of its calls, failed ones included', async () => {
    const asked = user({ text: 'Use get-time and get_weather' });
    const first = await converse({ messages: [asked], toolConfig: { tools } });
    const [one, two] = callsOf(first);
    const results = user(
      { toolResult: { toolUseId: one?.toolUseId ?? '', content: [{ json: { hour: 9 } }] } },
      { toolResult: { toolUseId: two?.toolUseId ?? '', content: [{ text: 'closed' }], status: 'error' } },
    );
    const messages = [asked, { role: 'assistant' as const, content: contentOf(first) }, results];
    const second = await converse({ messages, toolConfig: { tools } });
    expect(textOf(second)).toContain('The tool returned: {"hour":9}\nThe tool failed: closed');
  });

  it('gives an instance of the schema that outputConfig asks for', async () => {
    const structure = { jsonSchema: { schema: JSON.stringify(schema), name: 'weather' } };
    const answer = await converse({ outputConfig: { textFormat: { type: 'json_schema', structure } } });
    weatherInput.parse(JSON.parse(textOf(answer)));
  });

  it('begins with a signed thought when the model is asked to think, and says the same after it', async () => {
    const thinking = { type: 'enabled', budget_tokens: 1024 };
    const answer = await converse({ additionalModelRequestFields: { thinking } });
    const reasoningText = contentOf(answer)[0]?.reasoningContent?.reasoningText;
    expect(reasoningText).toEqual({ text: expect.any(String), signature: expect.stringMatching(/==$/) });
    expect(textOf(answer)).toBe(textOf(await converse()));
    const messages = [
      user({ text: 'x' }),
      { role: 'assistant' as const, content: contentOf(answer) },
      user({ text: 'y' }),
    ];
    expect((await converse({ messages })).stopReason).toBe('end_turn');
  });

  it('reports what the cache took, and what it gave for a model named -cached', async () => {
    const messages = [user({ text: 'hello' }, { cachePoint: { type: 'default' as const } })];
    const { usage: plain } = await converse();
    const half = Math.floor((plain?.inputTokens ?? 0) / 2);
    const rest = { inputTokens: (plain?.inputTokens ?? 0) - half, totalTokens: plain?.totalTokens };
    expect((await converse({ messages })).usage).toMatchObject({ ...rest, cacheWriteInputTokens: half });
    expect((await converse({ messages, modelId: 'x-cached' })).usage).toMatchObject({
      ...rest,
      cacheReadInputTokens: half,
      cacheWriteInputTokens: 0,
    });
  });
});

describe("Bedrock's OpenAI endpoint", () => {
  const path = '/openai/v1/chat/completions';
  const body = { model: 'openai.gpt-oss-20b-1:0', messages: [{ role: 'user', content: 'Say exactly: hi' }] };

  it('serves chat completions to signed requests alone', async () => {
    const response = await upstream.postTo(path, body, { headers: SIGNED_HEADERS });
    expect(await response.json()).toMatchObject({
      object: 'chat.completion',
      model: body.model,
      choices: [{ message: { content: 'hi' } }],
    });
    const bearer = await upstream.postTo(path, body, { headers: { authorization: 'Bearer k' } });
    expect(bearer.status).toBe(403);
    const streamed = await upstream.postTo(path, { ...body, stream: true }, { headers: SIGNED_HEADERS });
    expect((await streamed.text()).endsWith('data: [DONE]\n\n')).toBe(true);
  });

  it('refuses bad requests and unknown paths in the words of OpenAI', async () => {
    for (const [at, asked] of [
      [path, { ...body, messages: [] }],
      ['/openai/v1/nowhere', body],
    ] as const) {
      const response = await upstream.postTo(at, asked, { headers: SIGNED_HEADERS });
      expect(await response.json()).toMatchObject({ error: { type: 'invalid_request_error' } });
    }
  });
});
