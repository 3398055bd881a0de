import { describe, expect, it } from '@jest/globals';
import { isJsonObject, type JsonObject } from '../../../platform/core/json/lossless-json.ts';
import type { Conversation } from '../../core/upstream/conversation.ts';
import { nativePayload } from '../../testing/providers/openai/fixtures.ts';
import { convertedPayload } from '../../testing/providers/payloads.ts';
import { SIGNATURES } from '../../testing/providers/sealing.ts';
import { toRequestBody } from './request.ts';

type Dialect = NonNullable<Parameters<typeof toRequestBody>[1]['dialect']>;

const route = (dialect: Dialect, reasoning = false) => ({ upstream_model: 'm', reasoning, dialect });

const native = (body: JsonObject, dialect: Dialect, stream = false) =>
  toRequestBody(nativePayload(body, stream), route(dialect), SIGNATURES);

const converted = (conversation: Partial<Conversation>, dialect: Dialect, stream = false) =>
  toRequestBody(convertedPayload(conversation, stream), route(dialect), SIGNATURES);

const messagesOf = (messages: readonly JsonObject[], dialect: Dialect) =>
  native({ messages }, dialect).messages as JsonObject[];

const user = (content: unknown) => ({ role: 'user', content });
const system = (content: unknown) => ({ role: 'system', content });
const assistant = (content: unknown) => ({ role: 'assistant', content });
const text = (words: string) => ({ type: 'text', text: words });
const call = (id: string) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } });
const calls = (...ids: string[]) => ({ role: 'assistant', tool_calls: ids.map(call) });
const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'ok' });

describe('a request to a host without a flag', () => {
  it('stays unchanged', () => {
    const body = {
      max_completion_tokens: 9,
      store: false,
      parallel_tool_calls: false,
      messages: [system('a'), user([text('b'), text('c')]), system('d'), assistant(null), calls('!')],
      tools: [{ type: 'function', function: { name: 'f', parameters: { enum: ['a'] }, strict: true } }],
    };
    expect(native(body, {})).toEqual({ ...body, model: 'm', stream: false });
  });
});

describe('a request to a host with a flag', () => {
  it('contains a system message in place of a message of the role developer (D1)', () => {
    expect(messagesOf([{ role: 'developer', content: 'a' }], { developer_role: false })).toEqual([
      system('a'),
    ]);
  });

  it.each(['max_tokens', 'max_completion_tokens'] as const)(
    'contains the output bound under the only name that the host accepts (D2): %s',
    (name) => {
      const dialect = { max_tokens_field: name };
      const boundOf = ({ max_tokens, max_completion_tokens }: JsonObject) =>
        JSON.parse(JSON.stringify({ max_tokens, max_completion_tokens })) as unknown;
      expect(boundOf(native({ max_tokens: 7 }, dialect))).toEqual({ [name]: 7 });
      expect(boundOf(native({ max_completion_tokens: 7 }, dialect))).toEqual({ [name]: 7 });
      expect(boundOf(converted({}, dialect))).toEqual({ [name]: 256 });
    },
  );

  it('omits strict from tools (D4)', () => {
    const tool = { name: 'f', parameters: { type: 'object' }, strict: true };
    const bare = [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }];
    const dialect = { strict_tools: false } as const;
    expect(native({ tools: [{ type: 'function', function: tool }] }, dialect).tools).toEqual(bare);
    expect(converted({ tools: [tool] }, dialect).tools).toEqual(bare);
  });

  it.each(['store', 'parallel_tool_calls', 'stream_options'] as const)('omits %s (D5)', (name) => {
    const body = { store: false, parallel_tool_calls: false, stream_options: { include_usage: true } };
    expect(native(body, { [name]: false }, true)).toEqual({
      ...Object.fromEntries(Object.entries(body).filter(([field]) => field !== name)),
      model: 'm',
      stream: true,
    });
    expect(converted({}, { [name]: false }, true)).not.toHaveProperty(name);
  });

  it('joins texts in content parts (D17)', () => {
    const dialect = { text_content: 'string' } as const;
    expect(messagesOf([user([text('a'), text('b')]), assistant([text('c')])], dialect)).toEqual([
      user('a\n\nb'),
      assistant('c'),
    ]);
    const userMessage = user([
      text('a'),
      { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
    ]);
    expect(messagesOf([userMessage], dialect)).toEqual([userMessage]);
    expect(converted({ system: ['a', 'b'] }, dialect).messages).toEqual([system('a\n\nb')]);
  });

  it('fills an assistant message without content, and adds one between a tool and a user (D18)', () => {
    const empty = { empty_assistant: false } as const;
    expect(messagesOf([assistant(null), assistant(''), calls('a')], empty)).toEqual([
      assistant('(no content)'),
      assistant('(no content)'),
      calls('a'),
    ]);
    expect(messagesOf([{ ...assistant(null), refusal: 'No.' }], empty)).toMatchObject([{ content: 'No.' }]);
    const parted = { assistant_after_tools: true } as const;
    expect(messagesOf([calls('a'), result('a'), user('b')], parted)).toEqual([
      calls('a'),
      result('a'),
      assistant('The tools have answered.'),
      user('b'),
    ]);
    expect(messagesOf([calls('a'), result('a')], parted)).toEqual([calls('a'), result('a')]);
  });

  it('moves later system messages to the user, and joins the first ones (D22)', () => {
    const dialect = { system_messages: 'first', text_content: 'string' } as const;
    const remind = (words: string) => `<system-reminder>\n${words}\n</system-reminder>`;
    const messages = messagesOf(
      [
        system('a'),
        system('b'),
        user('c'),
        system('d'),
        calls('x'),
        result('x'),
        system('e'),
        user([text('f')]),
        system('g'),
      ],
      dialect,
    );
    expect(messages).toEqual([
      system('a\n\nb'),
      user('c'),
      calls('x'),
      result('x'),
      user(`${remind('d')}\n\n${remind('e')}\n\nf`),
      user(remind('g')),
    ]);
    expect(messagesOf([system('a')], dialect)).toEqual([system('a')]);
  });

  it('replaces an id of a tool call that is not nine letters and digits (D10)', () => {
    const dialect = { tool_call_ids: 'nine-characters' } as const;
    const [assistantMessage = {}, first, second] = messagesOf(
      [calls('call_1!', 'abcDEF123'), result('call_1!'), result('abcDEF123')],
      dialect,
    );
    const [createdId, callerId] = (assistantMessage.tool_calls as JsonObject[]).map(({ id }) => id);
    expect(createdId).toMatch(/^[a-zA-Z0-9]{9}$/);
    expect(callerId).toBe('abcDEF123');
    expect([first?.tool_call_id, second?.tool_call_id]).toEqual([createdId, callerId]);
  });
});

describe('the schemas of tools and responses', () => {
  const parameters = {
    type: 'object',
    properties: {
      pair: { type: 'array', prefixItems: [{ type: 'string' }, { enum: ['a', 'b'] }], items: false },
      old: { type: 'array', items: [{ type: 'number' }] },
      either: { type: 'string', anyOf: [{ enum: ['x'] }, { minLength: 3 }] },
      mixed: { enum: ['a', 1, null] },
      properties: { type: 'object', properties: { enum: { enum: [true] } }, required: ['enum'] },
    },
    required: ['pair'],
  };
  const schemasOf = (dialect: Dialect): JsonObject[] => {
    const body = native(
      {
        tools: [{ type: 'function', function: { name: 'f', parameters } }],
        response_format: { type: 'json_schema', json_schema: { name: 'a', schema: parameters } },
      },
      dialect,
    );
    const [tool] = body.tools as { function: { parameters: JsonObject } }[];
    const format = body.response_format as { json_schema: { schema: JsonObject } };
    return [tool?.function.parameters ?? {}, format.json_schema.schema];
  };

  it('become simpler if the host requires that (D19)', () => {
    const simple = {
      type: 'object',
      properties: {
        pair: {
          type: 'array',
          maxItems: 2,
          items: { anyOf: [{ type: 'string' }, { type: 'string', enum: ['a', 'b'] }] },
        },
        old: { type: 'array', items: { type: 'number' } },
        either: {
          anyOf: [
            { type: 'string', enum: ['x'] },
            { type: 'string', minLength: 3 },
          ],
        },
        mixed: {
          anyOf: [
            { type: 'string', enum: ['a'] },
            { type: 'number', enum: [1] },
            { type: 'null', enum: [null] },
          ],
        },
        properties: {
          type: 'object',
          required: ['enum'],
          properties: { enum: { type: 'boolean', enum: [true] } },
        },
      },
      required: ['pair'],
    };
    expect(schemasOf({ schemas: 'simple' })).toEqual([simple, simple]);
    expect(schemasOf({})).toEqual([parameters, parameters]);
  });

  it('require every property, and allow null for optional ones, if the host requires that (D20)', () => {
    for (const schema of schemasOf({ all_properties_required: true })) {
      expect(schema.required).toEqual(Object.keys(parameters.properties));
      expect(schema.properties).toMatchObject({
        pair: parameters.properties.pair,
        old: { type: ['array', 'null'] },
        mixed: { anyOf: [{ enum: ['a', 1, null] }, { type: 'null' }] },
        properties: { type: ['object', 'null'], required: ['enum'] },
      });
      expect(isJsonObject(schema.properties) && schema.properties.either).toMatchObject({
        anyOf: [{}, {}, { type: 'null' }],
      });
    }
  });
});
