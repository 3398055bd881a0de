import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../../tools/test-kit/search.ts';
import { rounds } from '../../../../tools/test-kit/thorough.ts';
import type { AssistantPart, Conversation, Turn, UserPart } from '../../core/upstream/conversation.ts';
import { CONVERSATION } from '../../testing/providers/bedrock/calling.ts';
import { SIGNATURES } from '../../testing/providers/sealing.ts';
import { toConverseCall } from './request.ts';

const ids = fc.oneof(fc.constantFrom('call_1', 'functions.f:0', ''), fc.string({ maxLength: 80 }));
const names = fc.constantFrom('get_weather', 'get_time', 'json_answer');
const textPart = fc.record({
  type: fc.constant('text'),
  text: fc.oneof(fc.string(), fc.constantFrom('', ' ', '\n')),
});
const source = fc.record({
  kind: fc.constant('base64'),
  mediaType: fc.constantFrom('image/png', 'image/jpeg'),
  data: fc.constant('AQI='),
});
const images = fc.record({ type: fc.constant('image'), source });
const results = fc.record({
  type: fc.constant('tool-result'),
  id: ids,
  content: fc.array(fc.oneof(textPart, images), { maxLength: 3 }),
  isError: fc.boolean(),
});
const calls = fc.record({
  type: fc.constant('tool-call'),
  id: ids,
  name: names,
  arguments: fc.oneof(fc.json(), fc.string(), fc.constant('')),
});
const refusals = fc.record({ type: fc.constant('refusal'), text: fc.string() });

const turns = fc.array(
  fc.oneof(
    fc
      .array(fc.oneof(textPart, images, results), { maxLength: 4 })
      .map((parts) => ({ role: 'user', parts: parts as UserPart[] })),
    fc
      .array(fc.oneof(textPart, refusals, calls), { maxLength: 4 })
      .map((parts) => ({ role: 'assistant', parts: parts as AssistantPart[] })),
  ),
  { maxLength: 8 },
) as fc.Arbitrary<Turn[]>;

const parameters = fc.constantFrom({}, { type: 'object' }, { type: 'object', additionalProperties: false });
const tools = fc.uniqueArray(fc.record({ name: names, parameters }), { selector: ({ name }) => name });
const choices = fc.oneof(
  fc.record({ type: fc.constantFrom('auto', 'any', 'none') }),
  fc.record({ type: fc.constant('tool'), name: names }),
);
const formats = fc.oneof(
  fc.constant({ type: 'json' }),
  fc.record({ type: fc.constant('json-schema'), schema: parameters }),
);

const conversations = fc.record(
  {
    system: fc.array(fc.string(), { maxLength: 3 }),
    turns,
    tools,
    toolChoice: choices,
    format: formats,
    temperature: fc.double({ min: 0, max: 2, noNaN: true }),
    topP: fc.double({ min: 0, max: 1, noNaN: true }),
    stop: fc.array(fc.string(), { maxLength: 4 }),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<Partial<Conversation>>;

const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Returns the faults for which Converse would reject a request (Amazon Bedrock API reference, Converse, and the texts
 * of its errors).
 */
function faults(conversation: Partial<Conversation>, model: string, reasoning: boolean): string[] {
  const { request } = toConverseCall(
    { ...CONVERSATION, ...conversation },
    { upstream_model: model, reasoning },
    SIGNATURES,
  );
  const { messages = [], system = [], toolConfig, inferenceConfig } = request;
  const violations: string[] = [];
  const require = (holds: boolean, fault: string) => {
    if (!holds) violations.push(fault);
  };
  const blank = (text: string | undefined) => text !== undefined && text.trim() === '';
  require(messages.length > 0, 'no messages');
  messages.forEach(({ role, content = [] }, index) => {
    require(role === (index % 2 === 0 ? 'user' : 'assistant'), 'roles do not alternate');
    require(content.length > 0, 'empty message');
    require(!content.some(({ text }) => blank(text)), 'blank text');
    const kinds = content.map((block) => block.toolResult !== undefined);
    require(kinds.lastIndexOf(true) < kinds.filter(Boolean).length, 'results after other blocks');
    for (const { toolUse, toolResult } of content) {
      const id = toolUse?.toolUseId ?? toolResult?.toolUseId;
      require(id === undefined || /^[a-zA-Z0-9_-]{1,64}$/.test(id), 'illegal id');
      require(toolUse === undefined || isObject(toolUse.input), 'input that is no object');
      require(toolResult?.content?.length !== 0, 'empty result');
      require(!toolResult?.content?.some(({ text }) => blank(text)), 'blank text in a result');
    }
  });
  const last = messages.at(-1);
  if (last?.role === 'assistant')
    require(last.content?.at(-1)?.text?.match(/\s$/) == null, 'white space at the end of a prefilled answer');
  const uses = messages.flatMap(({ content = [] }) =>
    content.flatMap(({ toolUse }) => toolUse?.toolUseId ?? []),
  );
  require(new Set(uses).size === uses.length, 'two calls of one id');
  require(uses.length === 0 || toolConfig !== undefined, 'tool calls without tools');
  require(toolConfig?.tools?.length !== 0, 'no tools in a tool configuration');
  const declared = (toolConfig?.tools ?? []).map(({ toolSpec }) => toolSpec?.name);
  require(new Set(declared).size === declared.length, 'two tools of one name');
  require(!system.some(({ text }) => blank(text)), 'blank system text');
  const { temperature, topP } = inferenceConfig ?? {};
  require(temperature === undefined || (temperature <= 1 && topP === undefined), 'sampling out of bounds');
  return violations;
}

describe('toConverseCall, properties', () => {
  it('creates a request that Converse accepts, from any conversation', () => {
    fc.assert(
      fc.property(
        conversations,
        fc.constantFrom('us.anthropic.claude', 'amazon.nova'),
        fc.boolean(),
        (...args) => {
          expect(faults(...args)).toEqual([]);
        },
      ),
      { numRuns: rounds(300) },
    );
  });

  it('creates the same request each time, and leaves the conversation unchanged', () => {
    fc.assert(
      fc.property(conversations, (args) => {
        const conversation = { ...CONVERSATION, ...args };
        const before = structuredClone(conversation);
        const route = { upstream_model: 'amazon.nova', reasoning: false };
        expect(toConverseCall(conversation, route, SIGNATURES)).toEqual(
          toConverseCall(conversation, route, SIGNATURES),
        );
        expect(conversation).toEqual(before);
      }),
      { numRuns: rounds(80) },
    );
  });
});
