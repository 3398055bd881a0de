import { describe, expect, it } from '@jest/globals';
import type OpenAI from 'openai';
import { runningUpstream } from '../../testing/models/running-upstream.ts';

const upstream = runningUpstream();
const user = (content: unknown) => ({ role: 'user', content }) as OpenAI.Responses.ResponseInputItem;
const assistant = (content: unknown) => ({ role: 'assistant', content });
const PARAMETERS = {
  type: 'object',
  properties: { place: { type: 'string' } },
  required: ['place'],
  additionalProperties: false,
};
const TOOLS: OpenAI.Responses.Tool[] = [
  { type: 'function', name: 'lookup', strict: true, parameters: PARAMETERS },
];

/** The refusal of a request; undefined when it is answered. */
async function rejected(body: object, key = 'test') {
  const response = await upstream.postTo('/v1/responses', body, {
    headers: { authorization: `Bearer ${key}` },
  });
  if (response.status === 200) return undefined;
  const { error } = (await response.json()) as { error: object };
  return { status: response.status, ...error };
}

/** The error, the body in addition to the model, the parameter and a part of the message. */
type Case = readonly [name: string, body: object, param: string | null, message: string];

describe('a bad Responses request', () => {
  const inputOf = (...input: object[]) => ({ input });
  const reasoner = { model: 'reasoner', input: 'x' };
  const call = { type: 'function_call', call_id: 'call_1', name: 'f', arguments: '{}' };
  const result = { type: 'function_call_output', call_id: 'call_1', output: 'x' };
  const open = { type: 'object', properties: { a: {} } };
  const format = (over: object) => ({
    input: 'x',
    text: { format: { type: 'json_schema', name: 'n', ...over } },
  });

  it.each<Case>([
    ['without input', {}, 'input', 'must be provided'],
    ['with an unknown field', { input: 'x', max_tokens: 3 }, 'max_tokens', ''],
    ['with an unknown role', inputOf({ role: 'alien', content: 'x' }), 'input[0].role', ''],
    ['with an unknown item', inputOf({ type: 'video' }), 'input[0].type', ''],
    [
      'with the input of a user in an answer',
      inputOf(assistant([{ type: 'input_text', text: 'x' }])),
      'input[0].content[0].type',
      '',
    ],
    [
      'with an unknown field in a part',
      inputOf(user([{ type: 'input_text', text: 'x', cache_control: {} }])),
      'input[0].content[0].cache_control',
      '',
    ],
    [
      'with an id of another kind',
      inputOf({ ...call, id: 'msg_1' }, result),
      'input[0].id',
      "begins with 'fc'",
    ],
    [
      'with a long id',
      inputOf({ ...call, id: `fc_${'a'.repeat(64)}` }, result),
      'input[0].id',
      'maximum length 64',
    ],
    [
      'with a call without a result',
      inputOf(user('x'), call),
      'input',
      'No tool output found for function call call_1.',
    ],
    [
      'with a custom call without a result',
      inputOf({ type: 'custom_tool_call', call_id: 'c', name: 'f', input: '' }),
      'input',
      'No tool output found for custom tool call c.',
    ],
    [
      'with a result without a call',
      inputOf(user('x'), result),
      'input',
      'No tool call found for function call output',
    ],
    [
      'with reasoning in the open',
      inputOf({ type: 'reasoning', summary: [], content: [{}] }),
      'input[0].content',
      'too long',
    ],
    ['with too small a limit', { input: 'x', max_output_tokens: 15 }, 'max_output_tokens', '>= 16'],
    ['with a temperature while it thinks', { ...reasoner, temperature: 1 }, 'temperature', 'not supported'],
    [
      'with a temperature at an effort',
      { input: 'x', reasoning: { effort: 'low' }, top_p: 1 },
      'top_p',
      'not supported',
    ],
    [
      'with no effort for a model that thinks',
      { ...reasoner, reasoning: { effort: 'none' } },
      'reasoning.effort',
      '',
    ],
    [
      'with an open schema',
      format({ schema: open, strict: true }),
      'text.format.schema',
      "'additionalProperties'",
    ],
    [
      'with an optional property',
      format({ schema: { ...open, additionalProperties: false }, strict: true }),
      'text.format.schema',
      "Missing 'a'",
    ],
    [
      'with an open schema of a tool',
      { input: 'x', tools: [{ type: 'function', name: 'f', parameters: open, strict: true }] },
      'tools[0].parameters',
      "function 'f'",
    ],
    [
      'with a choice not offered',
      { input: 'x', tools: TOOLS, tool_choice: { type: 'function', name: 'g' } },
      'tool_choice',
      "'g'",
    ],
    [
      'for JSON that it does not speak of',
      { input: 'x', text: { format: { type: 'json_object' } } },
      'input',
      "word 'json'",
    ],
    [
      'with a response that is not kept',
      { input: 'x', previous_response_id: 'resp_1' },
      'previous_response_id',
      'not found',
    ],
    [
      'with an item that is not kept',
      inputOf({ type: 'item_reference', id: 'msg_1' }),
      'input',
      "Item with id 'msg_1' not found",
    ],
    ['with stream options of no stream', { input: 'x', stream_options: {} }, 'stream_options', ''],
  ])('causes an error in the envelope of OpenAI: %s', async (_name, body, param, message) => {
    const rejection = await rejected({ model: 'm', store: false, ...body });
    expect(rejection).toMatchObject({ status: 400, type: 'invalid_request_error', param });
    expect(rejection).toMatchObject({ message: expect.stringContaining(message) });
  });
});

describe('reasoning that returns', () => {
  const request = {
    model: 'reasoner',
    store: false,
    include: ['reasoning.encrypted_content'],
    tools: TOOLS,
  } satisfies OpenAI.Responses.ResponseCreateParamsNonStreaming;
  const input = [user('call lookup {"place":"Oslo"}')];
  const answer = async () => {
    const { output } = await upstream.openai().responses.create({ ...request, input });
    const [reasoning, call] = output;
    if (reasoning?.type !== 'reasoning' || call?.type !== 'function_call') throw new Error('no reasoning');
    const result = { type: 'function_call_output', call_id: call.call_id, output: 'found' };
    const returned = (change: object, key?: string) =>
      rejected({ ...request, input: [...input, { ...reasoning, ...change }, call, result] }, key);
    return { reasoning, returned };
  };

  it('passes the checks unchanged, with and without its id', async () => {
    const { returned } = await answer();
    expect([await returned({}), await returned({ id: undefined })]).toEqual([undefined, undefined]);
  });

  it('causes an error if it was changed, belongs to another key or item, or is missing', async () => {
    const { reasoning, returned } = await answer();
    const sealed = reasoning.encrypted_content ?? '';
    const unverified = {
      status: 400,
      code: 'invalid_encrypted_content',
      type: 'invalid_request_error',
      param: null,
      message: expect.stringContaining('could not be verified'),
    };
    const changed = `${sealed.slice(0, 40)}A${sealed.slice(41)}`;
    expect(await returned({ encrypted_content: changed })).toEqual(unverified);
    expect(await returned({}, 'another')).toEqual(unverified);
    expect(await returned({ id: 'rs_other' })).toEqual(unverified);
    expect(await returned({ encrypted_content: undefined })).toMatchObject({
      status: 400,
      message: expect.stringContaining(`Item with id '${reasoning.id}' not found`),
    });
  });

  it('causes an error without the item that followed it', async () => {
    const { reasoning } = await answer();
    expect(await rejected({ ...request, input: [...input, reasoning] })).toMatchObject({
      message: expect.stringContaining('without its required following item'),
    });
  });
});

it('a response is counted as stored unless the request excludes it', async () => {
  const stored = async () => (await upstream.control('GET', '/kept-responses')).json();
  for (const store of [false, true]) await rejected({ model: 'm', input: 'x', store });
  expect(await stored()).toEqual({ count: 1 });
});
