/** The questions of a probe in the format of chat completions that one request answers. */
import {
  assistant,
  type Base,
  CITY,
  chat,
  ELABORATE,
  GREETING,
  OPTIONAL,
  SYSTEM,
  tool,
  user,
} from './chat-requests.ts';
import type { Question } from './findings.ts';

const HELLO = [GREETING, assistant('OK.')];

/** About fields and messages. */
export function plainQuestions(base: Base): readonly Question[] {
  const plain = chat(base, [GREETING]);
  const led = chat(base, [SYSTEM, GREETING]);
  const parts = user([
    { type: 'text', text: 'Say OK.' },
    { type: 'text', text: 'Only that.' },
  ]);
  return [
    {
      ...{ flag: 'developer_role', value: false, about: 'a message of the role developer', control: led },
      request: chat(base, [{ ...SYSTEM, role: 'developer' }, GREETING]),
    },
    {
      ...{ flag: 'system_messages', value: 'first', about: 'a system message within the conversation' },
      request: chat(base, [...HELLO, SYSTEM, GREETING]),
      control: chat(base, [SYSTEM, ...HELLO, GREETING]),
    },
    {
      ...{ flag: 'empty_assistant', value: false, about: 'an assistant message without content' },
      request: chat(base, [GREETING, assistant(''), GREETING]),
      control: chat(base, [...HELLO, GREETING]),
    },
    {
      ...{ flag: 'store', value: false, about: 'store', control: plain },
      request: chat(base, [GREETING], { store: false }),
    },
    {
      ...{ flag: 'stream_options', value: false, about: 'stream_options' },
      request: chat(base, [GREETING], { stream: true, stream_options: { include_usage: true } }),
      control: chat(base, [GREETING], { stream: true }),
    },
    {
      ...{ flag: 'text_content', value: 'string', about: 'the texts of a message as parts', control: plain },
      request: chat(base, [parts]),
      // Some models answer in the form in which they were asked.
      shows: ({ hasParts }) => hasParts,
    },
  ];
}

/** About tools. */
export function toolQuestions(base: Base): readonly Question[] {
  const withTool = (definition: object, fields: object = {}) =>
    chat(base, [GREETING], { tools: [definition], ...fields });
  const control = withTool(tool(CITY));
  return [
    {
      ...{ flag: 'strict_tools', value: false, about: 'strict on a tool', control },
      request: withTool(tool(CITY, { strict: true })),
    },
    {
      ...{ flag: 'parallel_tool_calls', value: false, about: 'parallel_tool_calls', control },
      request: withTool(tool(CITY), { parallel_tool_calls: false }),
    },
    {
      ...{ flag: 'schemas', value: 'simple', about: 'a schema with a tuple, anyOf and enum', control },
      request: withTool(tool(ELABORATE)),
    },
    {
      ...{ flag: 'all_properties_required', value: true, about: 'a property that is not required', control },
      request: withTool(tool(OPTIONAL)),
    },
  ];
}
