/** The simulated Gemini, as Google's own client and the service's provider see it. */
import { FunctionCallingConfigMode, GoogleGenAI } from '@google/genai';
import { describe, expect, it } from '@jest/globals';
import { parseCatalog, type Route } from '../../../../lambdas/core/inference/catalog/catalog-document.ts';
import { NO_FIELDS } from '../../../../lambdas/core/inference/fields/read-fields.ts';
import type {
  AssistantReply,
  Conversation,
  StreamPart,
} from '../../../../lambdas/core/inference/upstream/conversation.ts';
import type { Reply } from '../../../../lambdas/core/inference/upstream/provider.ts';
import { createGeminiProvider } from '../../../../lambdas/providers/gemini/provider.ts';
import { DEPENDENCIES, eventsOf, failureOf } from '../../../providers/http-calls.ts';
import { SIGNATURES } from '../../../providers/sealing.ts';
import { runningUpstream } from '../running-upstream.ts';

const upstream = runningUpstream();
const MODEL = 'gemini-sim';
const provider = createGeminiProvider(DEPENDENCIES);
const PLAIN: Conversation = { system: [], turns: [], tools: [], maxTokens: 2_000, stop: [] };
const WEATHER = {
  name: 'get_weather',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};
const user = (text: string) => ({ role: 'user' as const, parts: [{ type: 'text' as const, text }] });

function route(more: object = {}): Route {
  const price = { unit: 'per_million_tokens', input: 1, output: 1 };
  const own = {
    ...{ id: 'sim-a', protocol: 'gemini', base_url: `${upstream.running.url}/v1beta`, upstream_model: MODEL },
    ...{ secret: 'env:KEY', dialect: { reasoning_request: 'effort' }, ...more },
  };
  const model = { id: 'm', type: 'chat', owned_by: 'sim', created: 1, price, routes: [own] };
  const [parsed] = parseCatalog({ models: [model] }).models[0]?.routes ?? [];
  if (parsed === undefined) throw new Error('the catalog has no route');
  return parsed;
}

const chat = (conversation: Partial<Conversation>, stream = false, to = route()): Promise<Reply> =>
  provider.chat({
    route: to,
    payload: {
      ...{ protocol: 'openai', body: {}, conversation: () => ({ ...PLAIN, ...conversation }), stream },
      fields: NO_FIELDS,
    },
    identity: { id: 'chatcmpl-1', model: 'm' },
    signatures: SIGNATURES,
    signal: new AbortController().signal,
  });

async function replyOf(conversation: Partial<Conversation>): Promise<AssistantReply> {
  const reply = await chat(conversation);
  if (reply.kind !== 'json' || !('reply' in reply.answer)) throw new Error('not a whole answer');
  return reply.answer.reply;
}

const textOf = (parts: readonly StreamPart[]) =>
  parts.map((part) => ('text' in part ? part.text : '')).join('');

describe('the service’s provider', () => {
  it('asks, and gets a text with its counts, whole and streamed', async () => {
    const turns = [user('Repeat exactly: Grüße, 世界')];
    const whole = await chat({ turns });
    expect(whole).toMatchObject({
      answer: { reply: { parts: [{ text: 'Grüße, 世界' }], finish: { reason: 'stop', raw: 'STOP' } } },
      usage: { promptTokens: expect.any(Number), reasoningTokens: 0 },
    });
    const events = await eventsOf(chat({ turns }, true));
    expect(textOf(events.flatMap(({ parts }) => parts ?? []))).toBe('Grüße, 世界');
    expect(events.at(-1)?.usage).toEqual(whole.kind === 'json' ? whole.usage : undefined);
  });

  it('sends calls back with the proof that the model gave, which another model refuses', async () => {
    const asked = user('What is the weather?');
    const more = { tools: [WEATHER], toolChoice: { type: 'any' }, reasoning: { effort: 'high' } } as const;
    const { parts } = await replyOf({ ...more, turns: [asked] });
    expect(parts.map(({ type }) => type)).toEqual(['reasoning', 'tool-call']);
    const results = parts.flatMap((part) =>
      part.type === 'tool-call'
        ? { type: 'tool-result' as const, id: part.id, content: [], isError: false }
        : [],
    );
    const turns: Conversation['turns'] = [
      asked,
      { role: 'assistant', parts },
      { role: 'user', parts: results },
    ];
    const next = { tools: [WEATHER], turns };
    expect(await replyOf(next)).toMatchObject({ finish: { reason: 'stop' } });
    const other = await failureOf(chat(next, false, route({ upstream_model: 'gemini-other' })));
    expect(other).toMatchObject({ status: 400, retryable: false, param: 'messages' });
    expect(other.refusal?.reason).toContain('Thought signature is not valid');
  });

  it('sends everything that it can say, and no field that the API does not know', async () => {
    const format = { type: 'json-schema', schema: WEATHER.parameters } as const;
    const { parts } = await replyOf({
      ...{ system: ['Be brief.'], turns: [user('Hi')], format, temperature: 1.5, topP: 0.9, stop: ['x'] },
      reasoning: { effort: 'none' },
    });
    expect(parts).toEqual([{ type: 'text', text: expect.stringMatching(/^\{"city":/) }]);
  });

  it('is stopped by a refusal, a limit and a broken stream', async () => {
    const turns = [user('Hi')];
    await upstream.fault({ refusal: true }, { model: MODEL });
    expect(await replyOf({ turns })).toMatchObject({ finish: { reason: 'refusal', raw: 'SAFETY' } });
    await upstream.fault({ status: 429 }, { model: MODEL });
    expect(await failureOf(chat({ turns }))).toMatchObject({ status: 429, retryAfterSeconds: 8 });
    await upstream.fault({ error_event_after_chunks: 1 }, { model: MODEL });
    expect(await failureOf(eventsOf(chat({ turns }, true)))).toMatchObject({ kind: 'interrupted' });
    await upstream.fault({ cut_after_chunks: 1 }, { model: MODEL });
    expect(await failureOf(eventsOf(chat({ turns }, true)))).toMatchObject({ kind: 'interrupted' });
  });

  it('is refused without a key', async () => {
    const failure = await failureOf(chat({ turns: [user('Hi')] }, false, route({ secret: undefined })));
    expect(failure).toMatchObject({ status: 403, retryable: true });
  });
});

describe('Google’s client', () => {
  // Without a fetch of its own the client looks for Node's dispatcher among the globals, which are Jest's own here.
  const client = () =>
    new GoogleGenAI({
      apiKey: 'test',
      httpOptions: { baseUrl: upstream.running.url, apiVersion: 'v1beta', fetch },
    });

  it('reads a text, whole and streamed', async () => {
    const request = { model: MODEL, contents: 'Repeat exactly: one two three' };
    const whole = await client().models.generateContent(request);
    expect(whole.text).toBe('one two three');
    let text = '';
    let total: number | undefined;
    for await (const chunk of await client().models.generateContentStream(request)) {
      text += chunk.text ?? '';
      total = chunk.usageMetadata?.totalTokenCount;
    }
    expect(text).toBe('one two three');
    expect(total).toBe(whole.usageMetadata?.totalTokenCount);
  });

  it('calls a tool, and sends the call back as it came', async () => {
    const functionDeclarations = [{ name: 'get_weather', parametersJsonSchema: WEATHER.parameters }];
    const config = {
      tools: [{ functionDeclarations }],
      toolConfig: { functionCallingConfig: { mode: FunctionCallingConfigMode.ANY } },
    };
    const asked = { role: 'user', parts: [{ text: 'What is the weather?' }] };
    const first = await client().models.generateContent({ model: MODEL, contents: [asked], config });
    const called = first.candidates?.[0]?.content;
    const [call] = first.functionCalls ?? [];
    if (called === undefined || call === undefined) throw new Error('no call');
    const functionResponse = { id: call.id ?? '', name: 'get_weather', response: { output: '20' } };
    const contents = [asked, called, { role: 'user', parts: [{ functionResponse }] }];
    const second = await client().models.generateContent({
      ...{ model: MODEL, contents },
      config: { tools: config.tools },
    });
    expect(second.candidates?.[0]?.finishReason).toBe('STOP');
  });
});
