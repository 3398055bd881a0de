/** The simulated Gemini, as Google's own client sees it. */
import { FunctionCallingConfigMode, GoogleGenAI } from '@google/genai';
import { describe, expect, it } from '@jest/globals';
import { runningUpstream } from '../../testing/models/running-upstream.ts';

const upstream = runningUpstream();
const MODEL = 'gemini-sim';
const WEATHER = {
  name: 'get_weather',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};
describe('Google’s client', () => {
  // Without a fetch of its own the client looks for Node's dispatcher among the globals, which are Jest's own here.
  const client = () =>
    new GoogleGenAI({
      apiKey: 'test',
      httpOptions: { baseUrl: upstream.running.url, apiVersion: 'v1beta', fetch },
    });

  it('reads a text, whole and streamed', async () => {
    const request = { model: MODEL, contents: 'Repeat exactly: one two three' };
    const response = await client().models.generateContent(request);
    expect(response.text).toBe('one two three');
    let text = '';
    let total: number | undefined;
    for await (const chunk of await client().models.generateContentStream(request)) {
      text += chunk.text ?? '';
      total = chunk.usageMetadata?.totalTokenCount;
    }
    expect(text).toBe('one two three');
    expect(total).toBe(response.usageMetadata?.totalTokenCount);
  });

  it('calls a tool, and sends the call back as it came', async () => {
    const functionDeclarations = [{ name: 'get_weather', parametersJsonSchema: WEATHER.parameters }];
    const config = {
      tools: [{ functionDeclarations }],
      toolConfig: { functionCallingConfig: { mode: FunctionCallingConfigMode.ANY } },
    };
    const userContent = { role: 'user', parts: [{ text: 'What is the weather?' }] };
    const first = await client().models.generateContent({ model: MODEL, contents: [userContent], config });
    const called = first.candidates?.[0]?.content;
    const [call] = first.functionCalls ?? [];
    if (called === undefined || call === undefined) throw new Error('no call');
    const functionResponse = { id: call.id ?? '', name: 'get_weather', response: { output: '20' } };
    const contents = [userContent, called, { role: 'user', parts: [{ functionResponse }] }];
    const second = await client().models.generateContent({
      model: MODEL,
      contents,
      config: { tools: config.tools },
    });
    expect(second.candidates?.[0]?.finishReason).toBe('STOP');
  });
});
