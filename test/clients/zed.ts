/**
 * The requests of Zed's provider `open_ai`, which has no program without a window. They are written after its public
 * source (zed-industries/zed, `crates/open_ai`: `completion.rs`, `responses.rs`), not recorded, and the responses are
 * read as it reads them.
 */
import { describe, expect, it } from '@jest/globals';
import { describedFetch } from '../system/described-answers.ts';
import { caller } from './caller.ts';
import { PROTOCOLS } from './models.ts';
import { list } from './specification/answer.ts';

const HELLO = 'Repeat exactly: hello';
const INSTRUCTIONS = 'You are a coding assistant.';
const tool = {
  name: 'read_file',
  description: 'Reads a file.',
  parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
};

const chatRequest = (model: string) => ({
  model,
  messages: [
    { role: 'system', content: INSTRUCTIONS },
    { role: 'user', content: HELLO },
  ],
  stream: true,
  stream_options: { include_usage: true },
  temperature: 1,
  tool_choice: 'auto',
  parallel_tool_calls: true,
  tools: [{ type: 'function', function: tool }],
  prompt_cache_key: 'a thread of Zed',
});

const text = (value: string) => [{ type: 'input_text', text: value }];

const responsesRequest = (model: string) => ({
  model,
  input: [
    { type: 'message', role: 'system', content: text(INSTRUCTIONS) },
    { type: 'message', role: 'user', content: text(HELLO) },
  ],
  stream: true,
  parallel_tool_calls: true,
  tool_choice: 'auto',
  tools: [{ type: 'function', ...tool }],
  prompt_cache_key: 'a thread of Zed',
});

/** Returns the events of a stream: the lines that begin with `data:`, up to the end. */
async function eventsOf(path: string, body: object): Promise<readonly Record<string, unknown>[]> {
  const { baseURL, apiKey } = caller();
  const response = await describedFetch(`${baseURL}${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${apiKey}` },
    body: JSON.stringify(body),
  });
  const lines = (await response.text()).split('\n').flatMap((line) => /^data: ?(.*)$/.exec(line)?.[1] ?? []);
  return lines.filter((line) => line !== '[DONE]').map((line) => JSON.parse(line));
}

describe("the requests of Zed's OpenAI provider", () => {
  it.each(PROTOCOLS)('get their answer by chat, with usage, over %s', async (_, model) => {
    const events = await eventsOf('/chat/completions', chatRequest(model));
    const deltas = events.flatMap(({ choices }) => list(choices)).map(({ delta }) => Object(delta).content);
    expect(deltas.join('')).toBe('hello');
    expect(events.at(-1)?.usage).toMatchObject({ completion_tokens: expect.any(Number) });
  });

  it.each(PROTOCOLS)('get their answer by Responses, with usage, over %s', async (_, model) => {
    const events = await eventsOf('/responses', responsesRequest(model));
    const deltas = events.filter(({ type }) => type === 'response.output_text.delta');
    expect(deltas.map(({ delta }) => delta).join('')).toBe('hello');
    expect(events.at(-1)).toMatchObject({
      type: 'response.completed',
      response: { usage: { output_tokens: expect.any(Number) } },
    });
  });
});
