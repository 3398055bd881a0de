import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { z } from 'zod';
import type { JsonSchema } from '../../../../simulators/models/model/model.ts';
import { schemaInstance } from '../../../../simulators/models/model/schema-instance.ts';

/** zod's own reading of JSON Schema: an implementation that shares nothing with the generator. */
function expectValid(schema: JsonSchema, value: unknown): void {
  const result = z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]).safeParse(value);
  if (!result.success) {
    throw new Error(
      `${JSON.stringify(value)} is no instance of ${JSON.stringify(schema)}: ${result.error.message}`,
    );
  }
}

const bounds = (low: string, high: string, max: number) =>
  fc.tuple(fc.nat(max), fc.nat(max)).map(([a, b]) => ({ [low]: Math.min(a, b), [high]: Math.max(a, b) }));

const leaf: fc.Arbitrary<JsonSchema> = fc.oneof(
  fc.constantFrom<JsonSchema>(
    { type: 'string' },
    { type: 'boolean' },
    { type: 'null' },
    { type: ['string', 'null'] },
    { type: 'string', format: 'date' },
    { type: 'string', format: 'date-time' },
    { type: 'string', format: 'email' },
    { type: 'string', format: 'uri' },
    { type: 'string', format: 'uuid' },
    { type: 'string', pattern: '^[A-Z]{2,3}-\\d{4}$' },
    { type: 'string', pattern: '^(red|green)$' },
    { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 },
    { type: 'integer', minimum: 10, multipleOf: 7 },
    { type: 'number', multipleOf: 0.01, minimum: 0, maximum: 5 },
  ),
  bounds('minimum', 'maximum', 1000).map((range) => ({ type: 'integer', ...range })),
  bounds('minimum', 'maximum', 1000).map((range) => ({ type: 'number', ...range })),
  bounds('minLength', 'maxLength', 40).map((range) => ({ type: 'string', ...range })),
  fc
    .array(fc.oneof(fc.string(), fc.integer()), { minLength: 1, maxLength: 4 })
    .map((values) => ({ enum: values })),
  fc.oneof(fc.string(), fc.integer(), fc.constant(null)).map((value) => ({ const: value })),
);

const propertyNames = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'some name', 'ünïcode'), {
  maxLength: 4,
});

const { schema: anySchema } = fc.letrec<{ schema: JsonSchema }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    leaf,
    fc
      .tuple(tie('schema'), bounds('minItems', 'maxItems', 4))
      .map(([items, range]) => ({ type: 'array', items, ...range })),
    fc
      .tuple(propertyNames, fc.array(tie('schema'), { minLength: 4, maxLength: 4 }), fc.boolean())
      .map(([names, parts, strict]) => ({
        type: 'object',
        properties: Object.fromEntries(names.map((name, index) => [name, parts[index] ?? true])),
        required: strict ? names : names.slice(0, 1),
        additionalProperties: !strict,
      })),
    fc.array(tie('schema'), { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf })),
  ),
}));

describe('schemaInstance', () => {
  it('makes a valid instance of any schema of the family, the same for the same seed', () => {
    fc.assert(
      fc.property(anySchema, fc.string(), (schema, seed) => {
        const instance = schemaInstance(schema, seed);
        expectValid(schema, instance);
        expect(schemaInstance(schema, seed)).toEqual(instance);
        expect(JSON.parse(JSON.stringify(instance))).toEqual(instance);
      }),
      { numRuns: 150 },
    );
  });

  it.each<[string, JsonSchema]>([
    [
      'references',
      {
        type: 'object',
        properties: { to: { $ref: '#/$defs/place' } },
        required: ['to'],
        $defs: { place: { type: 'string', minLength: 3 } },
      },
    ],
    [
      'a recursive tree',
      {
        $ref: '#/$defs/node',
        $defs: {
          node: {
            type: 'object',
            properties: {
              value: { type: 'integer' },
              children: { type: 'array', items: { $ref: '#/$defs/node' } },
            },
            required: ['value', 'children'],
            additionalProperties: false,
          },
        },
      },
    ],
    [
      'a linked list',
      {
        type: 'object',
        properties: { next: { anyOf: [{ $ref: '#' }, { type: 'null' }] } },
        required: ['next'],
        additionalProperties: false,
      },
    ],
    [
      'allOf',
      {
        allOf: [
          { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] },
          { type: 'object', properties: { b: { const: 'x' } }, required: ['b'] },
        ],
      },
    ],
    ['oneOf with overlapping branches', { oneOf: [{ type: 'integer' }, { type: 'number' }] }],
    [
      'tuples',
      {
        type: 'array',
        prefixItems: [{ type: 'string' }, { type: 'integer' }],
        items: { type: 'boolean' },
        minItems: 3,
      },
    ],
    ['maps', { type: 'object', additionalProperties: { type: 'integer', minimum: 5 } }],
    ['a required name without a schema', { type: 'object', required: ['x'] }],
    ['a schema without a type', { properties: { a: { enum: ['x'] } }, required: ['a'] }],
    ['enum of null', { enum: [null] }],
    ['an unanchored pattern', { type: 'string', pattern: '\\d{3}' }],
  ])('handles %s', (_name, schema) => {
    for (const seed of ['1', '2', '3']) expectValid(schema, schemaInstance(schema, seed));
  });

  it.each<[string, JsonSchema, unknown]>([
    ['not', { type: 'string', enum: ['a', 'b'], not: { const: 'a' } }, 'b'],
    [
      'if and then',
      {
        type: 'object',
        properties: { k: { const: 1 }, v: { type: 'integer' } },
        required: ['k'],
        ...JSON.parse('{"if": {"required": ["k"]}, "then": {"required": ["v"]}}'),
      },
      { k: 1, v: expect.any(Number) },
    ],
    [
      'unique items',
      { type: 'array', items: { enum: [1, 2, 3] }, uniqueItems: true, minItems: 3 },
      expect.arrayContaining([1, 2, 3]),
    ],
    [
      'contains',
      { type: 'array', items: { type: 'integer' }, contains: { const: 5 } },
      expect.arrayContaining([5]),
    ],
    [
      'dependent names',
      { type: 'object', properties: { a: { const: 1 } }, required: ['a'], dependentRequired: { a: ['b'] } },
      { a: 1, b: expect.anything() },
    ],
    [
      'false and true',
      { type: 'object', properties: { a: true, b: false }, required: ['a'] },
      { a: expect.anything() },
    ],
    ['nothing to say', { type: 'object' }, {}],
    [
      'a name that objects have by nature',
      { type: 'object', properties: { constructor: { const: 1 } }, required: ['constructor'] },
      { constructor: 1 },
    ],
  ])('honours %s', (_name, schema, expected) => {
    for (const seed of ['1', '2', '3']) expect(schemaInstance(schema, seed)).toEqual(expected);
  });

  it('ends on schemas that no finite value satisfies', () => {
    const endless = { type: 'object', properties: { self: { $ref: '#' } }, required: ['self'] };
    expect(schemaInstance(endless, 'x')).toEqual(expect.any(Object));
    const branching = {
      type: 'object',
      properties: { a: { $ref: '#' }, b: { $ref: '#' } },
      required: ['a', 'b'],
    };
    const started = performance.now();
    expect(schemaInstance(branching, 'x')).toEqual(expect.any(Object));
    expect(performance.now() - started).toBeLessThan(5000);
    expect(() => schemaInstance({ $ref: '#' }, 'x')).not.toThrow();
    expect(() => schemaInstance({ type: 'string', enum: [1] }, 'x')).not.toThrow();
  });
});
