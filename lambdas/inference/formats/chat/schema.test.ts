import { describe, expect, it } from '@jest/globals';
import { growthOf, MAX_RATIO } from '../../../../tools/test-kit/growth.ts';
import { validate } from '../../../platform/core/json/json-body.ts';
import { parseJson } from '../../../platform/core/json/lossless-json.ts';
import { toConversation } from './conversation.ts';
import { chatCompletionRequest } from './schema.ts';

const requestOf = (fields: string) =>
  validate(
    chatCompletionRequest,
    parseJson(`{"model":"a/b","messages":[{"role":"user","content":"Hi"}],${fields}}`),
  );

describe('the schema of a chat request', () => {
  it('takes a fraction of more digits than a double holds', () => {
    expect(requestOf('"temperature":0.69999998807907104').temperature).toBe(0.699999988079071);
  });

  it('preserves integers to the last digit in fields that it does not validate', () => {
    const schema = '{"const":12345678901234567890}';
    const request = requestOf(`"tools":[{"type":"function","function":{"name":"f","parameters":${schema}}}]`);
    expect(JSON.stringify(request.tools?.[0]?.function.parameters)).toBe(schema);
  });
});

describe('a tool', () => {
  const withTool = (fields: object) => {
    const tool = { type: 'function', function: { name: 'f', ...fields } };
    return requestOf(`"tools":[${JSON.stringify(tool)}]`).tools?.[0]?.function;
  };

  it.each([
    ['name', 5],
    ['description', 5],
    ['parameters', 'none'],
    ['parameters', []],
    ['strict', 'yes'],
  ])('requires the type of each field: %s rejects %j', (field, value) => {
    expect(() => withTool({ [field]: value })).toThrow(
      expect.objectContaining({ code: 'invalid_value', param: `tools[0].function.${field}` }),
    );
  });

  it('accepts null for each optional field', () => {
    const nulls = { description: null, parameters: null, strict: null };
    expect(withTool(nulls)).toEqual({ name: 'f', ...nulls });
  });
});

describe('the choice of a tool', () => {
  const choose = (choice: unknown, tools: readonly string[]) =>
    requestOf(
      `"tool_choice":${JSON.stringify(choice)},"tools":${JSON.stringify(tools.map((name) => ({ type: 'function', function: { name } })))}`,
    );

  it('accepts the name of a declared tool, and the error for any other names the field', () => {
    const named = (name: string) => ({ type: 'function', function: { name } });
    expect(choose(named('g'), ['f', 'g']).tool_choice).toEqual(named('g'));
    expect(() => choose(named('h'), ['f', 'g'])).toThrow(
      expect.objectContaining({ code: 'invalid_value', param: 'tool_choice.function.name' }),
    );
  });

  it('needs tools, but for "none" and "auto"', () => {
    for (const choice of ['none', 'auto'])
      expect(requestOf(`"tool_choice":"${choice}"`).tool_choice).toBe(choice);
    expect(() => requestOf('"tool_choice":"required"')).toThrow(
      expect.objectContaining({ code: 'invalid_value', param: 'tool_choice' }),
    );
  });
});

const withMessage = (message: object) =>
  validate(chatCompletionRequest, parseJson(JSON.stringify({ model: 'a/b', messages: [message] })));
const withPart = (part: object, role = 'user') => withMessage({ role, content: [part] });

describe('a part of a message', () => {
  it.each([
    [{ type: 'text', text: 'a', image_url: { url: 5 } }, 'image_url'],
    [{ type: 'text', text: 'a', refusal: 'b' }, 'refusal'],
    [{ type: 'text', text: 'a', input_audio: {} }, 'input_audio'],
    [{ type: 'image_url', image_url: { url: 'https://a' }, text: 'b' }, 'text'],
  ])('holds nothing of a part of another type: %j', (part, field) => {
    const param = `messages[0].content[0].${field}`;
    expect(() => withPart(part)).toThrow(expect.objectContaining({ code: 'invalid_value', param }));
  });

  it('ignores a field of another type if it is null, because some programs write every field', () => {
    const request = withPart({ type: 'text', text: 'a', image_url: null, refusal: null });
    expect(toConversation(request).turns).toEqual([{ role: 'user', parts: [{ type: 'text', text: 'a' }] }]);
  });

  it('allows fields of no documented type', () => {
    const part = { type: 'text', text: 'a', cache_control: { type: 'ephemeral' }, x: 1 };
    expect(withPart(part).messages[0]?.content).toEqual([part]);
  });

  it.each([
    'data:image/png;base64,',
    'data:image/png;base64,%%%',
    'data:image/png;base64,a b',
    'data:,a',
    'ftp://a',
  ])('rejects an image that is neither an address nor base64: %j', (url) => {
    const param = 'messages[0].content[0].image_url.url';
    expect(() => withPart({ type: 'image_url', image_url: { url } })).toThrow(
      expect.objectContaining({ param }),
    );
  });

  it('takes an image of megabytes, and judges it in linear time', async () => {
    const judge = (letters: number) => {
      const long = 'A'.repeat(letters);
      const url = `data:image/png;base64,${long}`;
      expect(() => withPart({ type: 'image_url', image_url: { url: `${url}==` } })).not.toThrow();
      expect(() => withPart({ type: 'image_url', image_url: { url: `${url}=A` } })).toThrow();
    };
    expect(await growthOf(judge, 500_000)).toBeLessThan(MAX_RATIO);
  });
});

describe('a message', () => {
  it.each([
    [{ role: 'user', content: 'a', refusal: 'b' }, 'refusal'],
    [{ role: 'user', content: 'a', tool_calls: 5 }, 'tool_calls'],
    [{ role: 'system', content: 'a', tool_call_id: 'c' }, 'tool_call_id'],
    [{ role: 'tool', content: 'a', tool_call_id: 'c', function_call: {} }, 'function_call'],
    [{ role: 'tool', content: 'a', tool_call_id: 'c', name: 5 }, 'name'],
    [{ role: 'assistant', content: 'a', refusal: 5 }, 'refusal'],
    [{ role: 'assistant', content: 'a', function_call: 'f' }, 'function_call'],
    [{ role: 'assistant', content: 'a', function_call: { name: 'f' } }, 'function_call.arguments'],
  ])('holds what its role has, and each of its type: %j', (message, field) => {
    expect(() => withMessage(message)).toThrow(expect.objectContaining({ param: `messages[0].${field}` }));
  });

  it('allows fields of no role', () => {
    const message = {
      role: 'assistant',
      content: null,
      refusal: 'No',
      reasoning_content: 'Hm',
      tool_calls: null,
    };
    expect(withMessage(message).messages).toEqual([message]);
  });
});
