import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../../tools/test-kit/search.ts';
import { rounds } from '../../../../tools/test-kit/thorough.ts';
import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import { forHost } from '../../providers/openai-formats/dialect-request.ts';
import type { Dialect } from '../catalog/dialect.ts';
import { boundTextTokens, dialectTokens } from './estimate.ts';

const EVERYTHING: Dialect = {
  empty_assistant: false,
  assistant_after_tools: true,
  system_messages: 'first',
  schemas: 'simple',
  all_properties_required: true,
  text_content: 'string',
};

const leaf = fc.oneof(
  fc.constant({ type: 'string' }),
  fc.record({ enum: fc.array(fc.oneof(fc.string(), fc.integer(), fc.constant(null)), { maxLength: 4 }) }),
  fc.constant({ type: 'array', items: [{ type: 'string' }, { enum: [1, 'a'] }] }),
  fc.constant({ type: 'string', anyOf: [{ minLength: 1 }, { enum: ['b'] }] }),
);
const object = (property: fc.Arbitrary<JsonObject>) =>
  fc.record({
    type: fc.constant('object'),
    properties: fc.dictionary(fc.string(), property, { maxKeys: 4 }),
  });
const schema = object(fc.oneof(leaf, object(leaf)));

const message = fc.oneof(
  fc.record({ role: fc.constantFrom('system', 'user', 'assistant', 'tool'), content: fc.string() }),
  fc.constant({ role: 'assistant', content: null }),
);

describe('the addition of a dialect to a prompt', () => {
  it('stays within the tokens that are held for it', () => {
    fc.assert(
      fc.property(fc.array(message, { maxLength: 6 }), schema, (messages, parameters) => {
        const body = { messages, tools: [{ type: 'function', function: { name: 'f', parameters } }] };
        const tokensOf = (requestBody: JsonObject) => boundTextTokens([JSON.stringify(requestBody)]);
        const added = tokensOf(forHost(body, EVERYTHING)) - tokensOf(forHost(body, {}));
        expect(added).toBeLessThanOrEqual(dialectTokens(EVERYTHING, body, messages.length));
      }),
      { numRuns: rounds(200) },
    );
  });

  it('equals zero if the dialect adds nothing', () => {
    const body = { tools: [{ function: { parameters: { properties: { a: {} } } } }] };
    for (const dialect of [undefined, {}, { store: false }, { text_content: 'string' }] as const)
      expect(dialectTokens(dialect, body, 9)).toBe(0);
    expect(dialectTokens({ schemas: 'simple' }, body, 9)).toBeGreaterThan(0);
    expect(dialectTokens({ assistant_after_tools: true }, body, 9)).toBeGreaterThan(9 * 12);
  });

  it('counts equally for each possible position of a message: before each, and after the last', () => {
    const added = (messages: number) => dialectTokens({ assistant_after_tools: true }, {}, messages);
    fc.assert(fc.property(fc.nat(10_000), (messages) => added(messages) === (messages + 1) * added(0)));
  });
});
