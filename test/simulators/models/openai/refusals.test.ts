import { describe, expect, it } from '@jest/globals';
import { ask, runningUpstream } from '../running-upstream.ts';

const upstream = runningUpstream();
const clock = { type: 'function', function: { name: 'get-time' } };

describe('a bad request', () => {
  const error = async (body: unknown) => {
    const response = await upstream.post(body);
    const answer = (await response.json()) as { error: unknown };
    return { status: response.status, ...answer };
  };
  const failing = (over: object) => ({ ...ask('hello'), ...over });
  const call = { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } };
  const user = { role: 'user', content: 'x' };

  it('that is not JSON is refused as OpenAI refuses it', async () => {
    expect(await error('{"model":')).toMatchObject({
      status: 400,
      error: {
        message: expect.stringContaining('could not parse'),
        type: 'invalid_request_error',
        param: null,
        code: null,
      },
    });
  });

  it.each<[string, object, object]>([
    [
      'no model',
      { messages: [user] },
      { message: 'you must provide a model parameter', param: null, code: null },
    ],
    ['no messages', { model: 'm' }, { param: 'messages', code: 'missing_required_parameter' }],
    ['empty messages', failing({ messages: [] }), { param: 'messages', code: 'empty_array' }],
    [
      'an unknown role',
      failing({ messages: [{ role: 'alien', content: 'x' }] }),
      { param: 'messages[0].role', code: 'invalid_value' },
    ],
    [
      'content of the wrong type',
      failing({ messages: [{ role: 'user', content: 3 }] }),
      {
        param: 'messages[0].content',
        code: 'invalid_type',
        message: expect.stringContaining('one of a string or array of objects, but got an integer'),
      },
    ],
    [
      'an unknown content part',
      failing({ messages: [{ role: 'user', content: [{ type: 'video' }] }] }),
      { param: 'messages[0].content[0].type', code: 'invalid_value' },
    ],
    [
      'a broken data URL',
      failing({
        messages: [
          { role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,%%' } }] },
        ],
      }),
      { param: 'messages[0].content[0].image_url.url' },
    ],
    [
      'temperature out of range',
      failing({ temperature: 3 }),
      { param: 'temperature', code: 'decimal_above_max_value' },
    ],
    [
      'no tokens to spend',
      failing({ max_tokens: 0 }),
      { param: 'max_tokens', code: 'integer_below_min_value' },
    ],
    [
      'both token limits',
      failing({ max_tokens: 5, max_completion_tokens: 5 }),
      { code: 'invalid_parameter_combination' },
    ],
    [
      'stream_options without stream',
      failing({ stream_options: { include_usage: true } }),
      { param: 'stream_options' },
    ],
    [
      'a choice of a tool not offered',
      failing({ tools: [clock], tool_choice: { type: 'function', function: { name: 'f' } } }),
      { param: 'tool_choice' },
    ],
    ['a tool choice without tools', failing({ tool_choice: 'auto' }), { param: 'tool_choice' }],
    [
      'a tool name with a space',
      failing({ tools: [{ type: 'function', function: { name: 'a b' } }] }),
      { param: 'tools[0].function.name' },
    ],
    [
      'a schema without a name',
      failing({ response_format: { type: 'json_schema', json_schema: {} } }),
      { param: 'response_format.json_schema.name' },
    ],
    [
      'a tool result without a call',
      failing({ messages: [user, { role: 'tool', tool_call_id: 'call_1', content: 'x' }] }),
      { message: expect.stringContaining("must be a response to a preceding message with 'tool_calls'") },
    ],
    [
      'a call without a result',
      failing({ messages: [user, { role: 'assistant', tool_calls: [call] }, user] }),
      { message: expect.stringContaining('did not have response messages: call_1') },
    ],
    [
      'an assistant that says nothing',
      failing({ messages: [{ role: 'assistant', content: null }] }),
      { param: 'messages.[0].content' },
    ],
  ])('with %s is refused as OpenAI refuses it', async (_name, body, expected) => {
    const { status, error: refused } = await error(body);
    expect(status).toBe(400);
    expect(refused).toMatchObject({
      message: expect.any(String),
      type: 'invalid_request_error',
      ...expected,
    });
    expect(Object.keys(refused as object)).toEqual(['message', 'type', 'param', 'code']);
  });
});
