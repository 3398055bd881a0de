import { describe, expect, it } from '@jest/globals';
import type { ChatCompletionContentPart, ChatCompletionTool } from 'openai/resources';
import { runningUpstream } from '../testing/models/running-upstream.ts';

const upstream = runningUpstream();

const tool = (name: string, description: string, property: string): ChatCompletionTool => ({
  type: 'function',
  function: {
    name,
    description,
    parameters: { type: 'object', properties: { [property]: { type: 'string' } }, required: [property] },
  },
});
const TOOLS = [
  tool('get_time', 'Tells the clock of a place', 'timezone'),
  tool('get_weather', 'Looks up the forecast of a place', 'city'),
];

const answer = async (
  content: string | ChatCompletionContentPart[],
  fields: { tools?: ChatCompletionTool[]; n?: number } = {},
) => {
  const messages = [{ role: 'user' as const, content }];
  const { choices } = await upstream.openai().chat.completions.create({ model: 'sim', messages, ...fields });
  return choices.map(({ message }) => message);
};
const toolsCalled = async (content: string, tools: ChatCompletionTool[] = TOOLS) => {
  const [message] = await answer(content, { tools });
  return (
    message?.tool_calls?.map((call) => (call.type === 'function' ? call.function.name : call.type)) ?? []
  );
};

describe('the simulated model', () => {
  it.each(['Say hello.', 'Say hello to me!', 'Hello', 'hi there!', 'Good morning.'])(
    'greets for %j, in each choice otherwise',
    async (content) => {
      const texts = (await answer(content, { n: 2 })).map((message) => message.content);
      expect(texts[0]).toMatch(/^(Hello|Hi|Good day)! I am a simulated model\./);
      expect(texts[1]).not.toBe(texts[0]);
    },
  );

  it.each(['Say hello in French, then explain the weather of last year.', 'Describe the history of Rome.'])(
    'answers %j in prose',
    async (content) => expect((await answer(content))[0]?.content).not.toMatch(/simulated model/),
  );

  it('repeats a text exactly, whatever it greets', async () => {
    expect((await answer('Repeat exactly: hello'))[0]?.content).toBe('hello');
  });

  it.each([
    ['Weather in Paris? Use the tool.', ['get_weather']],
    ['What is the weather in Paris?', ['get_weather']],
    ['Which city has the best forecast?', ['get_weather']],
    ['What does the clock say?', ['get_time']],
    ['Use a tool.', ['get_time']],
    ['Compare get_weather with get_time', ['get_weather', 'get_time']],
    ['Say hello.', []],
    ['Repeat exactly: the weather', []],
  ])('calls for %j the tools %j', async (content, names) => {
    expect(await toolsCalled(content)).toEqual(names);
  });

  it.each([
    [1, 'I can see 1 image. '],
    [2, 'I can see 2 images. '],
  ])('says how many images it sees: %i', async (count, text) => {
    const url = 'data:image/png;base64,aaaa';
    const images = Array.from({ length: count }, () => ({ type: 'image_url' as const, image_url: { url } }));
    const content = [{ type: 'text' as const, text: 'What is this?' }, ...images];
    expect((await answer(content))[0]?.content).toMatch(new RegExp(`^${text}`));
  });

  it('calls no tool by a word in common if an agent offers many', async () => {
    const many = Array.from({ length: 9 }, (_, index) =>
      tool(`tool_${index}`, 'Looks up the weather', 'city'),
    );
    expect(await toolsCalled('What is the weather in Paris?', many)).toEqual([]);
  });
});
