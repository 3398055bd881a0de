import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import type { JsonSchema } from '../../../../simulators/models/model/model.ts';
import { schemaInstance } from '../../../../simulators/models/model/schema-instance.ts';

/** zod's own reading of JSON Schema: an implementation that shares nothing with the generator. */
function expectValid(schema: JsonSchema, value: unknown): void {
  const result = z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]).safeParse(value);
  if (!result.success) throw new Error(`${JSON.stringify(value)} is no instance: ${result.error.message}`);
}

const object = (properties: object, over: object = {}) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
  ...over,
});
const node = object({
  value: { type: 'integer' },
  children: { type: 'array', items: { $ref: '#/$defs/node' } },
});

describe('schemaInstance', () => {
  it.each<[string, JsonSchema]>([
    ['every type', object({ s: { type: 'string' }, b: { type: 'boolean' }, n: { type: 'null' } })],
    ['several types', object({ a: { type: ['string', 'null'] } })],
    ['formats', object({ d: { type: 'string', format: 'date' }, u: { type: 'string', format: 'uuid' } })],
    ['a pattern', { type: 'string', pattern: '^[A-Z]{2,3}-\\d{4}$' }],
    ['an unanchored pattern', { type: 'string', pattern: '\\d{3}' }],
    ['lengths', { type: 'string', minLength: 30, maxLength: 31 }],
    ['an open interval', { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 }],
    ['a multiple', { type: 'integer', minimum: 10, multipleOf: 7 }],
    ['enum', { enum: [null, 'a', 7] }],
    ['sizes', { type: 'array', items: { type: 'integer' }, minItems: 3, maxItems: 3 }],
    ['references', object({ to: { $ref: '#/$defs/place' } }, { $defs: { place: { type: 'string' } } })],
    ['a recursive tree', { $ref: '#/$defs/node', $defs: { node } }],
    ['a linked list', object({ next: { anyOf: [{ $ref: '#' }, { type: 'null' }] } })],
    ['allOf', { allOf: [{ type: 'object', required: ['a'] }, { properties: { a: { const: 'x' } } }] }],
    ['oneOf with overlapping branches', { oneOf: [{ type: 'integer' }, { type: 'number' }] }],
    ['tuples', { type: 'array', prefixItems: [{ type: 'string' }], items: { type: 'boolean' }, minItems: 3 }],
    ['maps', { type: 'object', additionalProperties: { type: 'integer', minimum: 5 } }],
    ['a required name without a schema', { type: 'object', required: ['x'] }],
    ['a schema without a type', { properties: { a: { enum: ['x'] } }, required: ['a'] }],
  ])('makes a valid instance of %s, the same for the same seed', (_name, schema) => {
    for (const seed of ['1', '2', '3']) {
      const instance = schemaInstance(schema, seed);
      expectValid(schema, instance);
      expect(schemaInstance(schema, seed)).toEqual(instance);
    }
  });

  it.each<[string, JsonSchema, unknown]>([
    ['not', { type: 'string', enum: ['a', 'b'], not: { const: 'a' } }, 'b'],
    [
      'unique items',
      { type: 'array', items: { enum: [1, 2, 3] }, uniqueItems: true, minItems: 3 },
      expect.arrayContaining([1, 2, 3]),
    ],
    ['contains', { type: 'array', contains: { const: 5 } }, expect.arrayContaining([5])],
    ['optional names', { type: 'object', properties: { a: { const: 1 } } }, { a: 1 }],
    ['nothing to say', { type: 'object' }, {}],
    ['a name that objects have by nature', object({ constructor: { const: 1 } }), { constructor: 1 }],
  ])('honours %s', (_name, schema, expected) => {
    for (const seed of ['1', '2', '3']) expect(schemaInstance(schema, seed)).toEqual(expected);
  });

  it.each<[string, JsonSchema]>([
    ['requires itself', object({ self: { $ref: '#' } })],
    ['requires itself twice', object({ a: { $ref: '#' }, b: { $ref: '#' } })],
    ['is itself', { $ref: '#' }],
    ['contradicts itself', { type: 'string', enum: [1] }],
    ['has no legal pattern', { type: 'string', pattern: '(' }],
  ])('ends on a schema that %s', (_name, schema) => {
    expect(() => schemaInstance(schema, 'x')).not.toThrow();
  });
});
