import { ConverseCommand, type ConverseCommandInput } from '@aws-sdk/client-bedrock-runtime';
import { describe, expect, it } from '@jest/globals';
import { runningUpstream, SIGNED_HEADERS } from '../running-upstream.ts';

const upstream = runningUpstream();
const user = (...content: unknown[]) => ({ role: 'user', content });
const assistant = (...content: unknown[]) => ({ role: 'assistant', content });
const text = (words: string) => ({ text: words });
const asked = { messages: [user(text('hello'))] };
const talk = (...messages: unknown[]) => ({ messages, toolConfig });
const toolUse = (toolUseId: string) => ({ toolUse: { toolUseId, name: 'f', input: {} } });
const toolResult = (toolUseId: string, over = {}) => ({
  toolResult: { toolUseId, content: [text('x')], ...over },
});
const spec = (name: string) => ({ toolSpec: { name, inputSchema: { json: { type: 'object' } } } });
const toolConfig = { tools: [spec('f')] };
const format = (schema: string) => ({
  ...asked,
  outputConfig: { textFormat: { type: 'json_schema', structure: { jsonSchema: { schema } } } },
});
const CLAUDE = 'eu.anthropic.claude-sim-5-v1:0';

describe('a bad Converse request', () => {
  const error = async (body: unknown, model?: string) => {
    const response = await upstream.postConverse('converse', body, model);
    const { message } = (await response.json()) as { message: string };
    return {
      status: response.status,
      type: response.headers.get('x-amzn-errortype')?.split(':')[0],
      message,
    };
  };

  it.each<[string, unknown, string]>([
    ['without messages', {}, 'A conversation must start with a user message.'],
    [
      'that begins with the assistant',
      talk(assistant(text('x'))),
      'A conversation must start with a user message.',
    ],
    [
      'with two user turns',
      talk(user(text('x')), user(text('y'))),
      'A conversation must alternate between user and assistant roles.',
    ],
    [
      'with an unknown role',
      talk({ role: 'system', content: [text('x')] }),
      "Value 'system' at 'messages.1.member.role' failed to satisfy constraint: Member must satisfy enum value set: [user, assistant]",
    ],
    [
      'with a turn without content',
      talk(user()),
      'The content field in the Message object at messages.0 is empty.',
    ],
    [
      'with a blank text',
      talk(user(text(' '))),
      'The text field in the ContentBlock object at messages.0.content.0 is blank.',
    ],
    [
      'with an empty system text',
      { ...asked, system: [text('')] },
      "Value '' at 'system.1.member.text' failed to satisfy constraint: Member must have length greater than or equal to 1",
    ],
    [
      'with a block of two kinds',
      talk(user({ ...text('x'), ...toolUse('a') })),
      'Exactly one member of a union can be set',
    ],
    [
      'with an unknown field',
      { ...asked, max_tokens: 3 },
      'Malformed input request: extraneous key [max_tokens] is not permitted',
    ],
    [
      'with an unknown block',
      talk(user({ type: 'text', text: 'x' })),
      'extraneous key [type] is not permitted',
    ],
    [
      'with an illegal id',
      talk(user(text('x')), assistant(toolUse('a b')), user(toolResult('a b'))),
      "at 'messages.2.member.content.1.member.toolUse.toolUseId' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+",
    ],
    [
      'with a long id',
      talk(user(text('x')), assistant(toolUse('a'.repeat(65)))),
      'Member must have length less than or equal to 64',
    ],
    [
      'with a call without a result',
      talk(user(text('x')), assistant(toolUse('a')), user(text('y'))),
      'Expected toolResult blocks at messages.2.content for the following Ids: a',
    ],
    [
      'that ends with a call',
      talk(user(text('x')), assistant(toolUse('a'))),
      'Expected toolResult blocks at messages.2.content for the following Ids: a',
    ],
    [
      'with a result without a call',
      talk(user(toolResult('a'))),
      'The number of toolResult blocks at messages.0.content exceeds the number of toolUse blocks of previous turn.',
    ],
    [
      'with another result than asked',
      talk(user(text('x')), assistant(toolUse('a')), user(toolResult('b'))),
      'Expected toolResult blocks at messages.2.content for the following Ids: a',
    ],
    [
      'with a failure that says nothing',
      talk(user(text('x')), assistant(toolUse('a')), user(toolResult('a', { content: [], status: 'error' }))),
      'cannot be empty when status value is error',
    ],
    [
      'with calls but no tools',
      { messages: talk(user(text('x')), assistant(toolUse('a')), user(toolResult('a'))).messages },
      'The toolConfig field must be defined when using toolUse and toolResult content blocks.',
    ],
    [
      'with an image of another format',
      talk(user({ image: { format: 'bmp', source: { bytes: 'aaaa' } } })),
      'Member must satisfy enum value set: [png, jpeg, gif, webp]',
    ],
    [
      'with an image by address',
      talk(user({ image: { format: 'png', source: { url: 'https://x' } } })),
      'extraneous key [url] is not permitted',
    ],
    [
      'with a temperature above 1',
      { ...asked, inferenceConfig: { temperature: 1.5 } },
      "Value '1.5' at 'inferenceConfig.temperature' failed to satisfy constraint: Member must have value less than or equal to 1",
    ],
    [
      'with no tokens to spend',
      { ...asked, inferenceConfig: { maxTokens: 0 } },
      'Member must have value greater than or equal to 1',
    ],
    [
      'with an illegal tool name',
      { ...asked, toolConfig: { tools: [spec('a b')] } },
      "at 'toolConfig.tools.1.member.toolSpec.name' failed to satisfy constraint",
    ],
    [
      'with an empty list of tools',
      { ...asked, toolConfig: { tools: [] } },
      'Member must have length greater than or equal to 1',
    ],
    [
      'with a tool without a schema',
      { ...asked, toolConfig: { tools: [{ toolSpec: { name: 'f' } }] } },
      "Value null at 'toolConfig.tools.1.member.toolSpec.inputSchema' failed to satisfy constraint: Member must not be null",
    ],
    [
      'with two tools of one name',
      { ...asked, toolConfig: { tools: [spec('f'), spec('f')] } },
      'duplicate tool names',
    ],
    [
      'with a choice not offered',
      { ...asked, toolConfig: { ...toolConfig, toolChoice: { tool: { name: 'g' } } } },
      'The tool name g',
    ],
    ['with a schema that is no JSON', format('{'), 'is not a valid JSON object'],
  ])('%s is a validation exception', async (_name, body, message) => {
    expect(await error(body)).toEqual({
      status: 400,
      type: 'ValidationException',
      message: expect.stringContaining(message),
    });
  });

  it.each<[string, object, string]>([
    [
      'temperature and topP',
      { ...asked, inferenceConfig: { temperature: 1, topP: 1 } },
      '`temperature` and `top_p` cannot both be specified for this model',
    ],
    [
      'a text before a result',
      talk(user(text('x')), assistant(toolUse('a')), user(text('y'), toolResult('a'))),
      'messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: a.',
    ],
    [
      'a blank result',
      talk(user(text('x')), assistant(toolUse('a')), user(toolResult('a', { content: [text('')] }))),
      'text content blocks must be non-empty',
    ],
    [
      'a trailing space in the prefill',
      talk(user(text('x')), assistant(text('y '))),
      'cannot end with trailing whitespace',
    ],
    ['an open schema', format('{"type":"object"}'), "'additionalProperties' must be explicitly set to false"],
  ])('with %s is refused by Claude alone', async (_name, body, message) => {
    const refused = await error(body, CLAUDE);
    expect(refused).toMatchObject({ status: 400, type: 'ValidationException' });
    expect(refused.message).toContain('The model returned the following errors:');
    expect(refused.message).toContain(message);
    expect((await error(body, 'other')).status).toBe(200);
  });

  it('of the wrong types cannot be read', async () => {
    expect(await error({ messages: 'hello' })).toMatchObject({ status: 400, type: 'SerializationException' });
    expect(await error('{')).toMatchObject({ status: 400, type: 'SerializationException' });
    const typed = await error({ messages: [{ role: 'user', content: [{ text: 3 }] }] });
    expect(typed.message).toBe('NUMBER_VALUE can not be converted to a String');
  });

  it.each<[string, Record<string, string>, string]>([
    ['no signature', {}, 'MissingAuthenticationTokenException'],
    ['a bearer token', { authorization: 'Bearer k' }, 'MissingAuthenticationTokenException'],
    [
      'an incomplete signature',
      { authorization: 'AWS4-HMAC-SHA256 Credential=x' },
      'IncompleteSignatureException',
    ],
    [
      'a signature for another service',
      { ...SIGNED_HEADERS, authorization: SIGNED_HEADERS.authorization.replace('/bedrock/', '/s3/') },
      'InvalidSignatureException',
    ],
    [
      'a signature without the host',
      { ...SIGNED_HEADERS, authorization: SIGNED_HEADERS.authorization.replace('host;', '') },
      'IncompleteSignatureException',
    ],
  ])('with %s is forbidden', async (_name, headers, type) => {
    const response = await upstream.postTo('/model/x/converse', asked, { headers });
    expect(response.status).toBe(403);
    expect(response.headers.get('x-amzn-errortype')).toMatch(new RegExp(`^${type}:`));
  });

  it('to a path that is not there, or too large, is refused in the envelope of the protocol', async () => {
    const nowhere = await upstream.postTo('/model/x/nowhere', asked, { headers: SIGNED_HEADERS });
    expect([nowhere.status, await nowhere.json()]).toEqual([404, { message: 'Unknown operation' }]);
    expect(await error(`"${'x'.repeat(25_000_000)}"`)).toMatchObject({ status: 413 });
  });

  it('raises the error classes of the official client', async () => {
    const named = {
      400: 'ValidationException',
      403: 'AccessDeniedException',
      404: 'ResourceNotFoundException',
      408: 'ModelTimeoutException',
      424: 'ModelErrorException',
      429: 'ThrottlingException',
      500: 'InternalServerException',
      503: 'ServiceUnavailableException',
    };
    for (const [status, name] of Object.entries(named)) {
      const input = { modelId: `fail-${status}`, ...asked } as ConverseCommandInput;
      const failure = upstream.bedrock().send(new ConverseCommand(input));
      await expect(failure).rejects.toMatchObject({ name, $metadata: { httpStatusCode: Number(status) } });
    }
  });
});
