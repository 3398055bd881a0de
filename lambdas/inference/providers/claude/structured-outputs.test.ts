import { describe, expect, it } from '@jest/globals';
import { takesSchema } from './json-output.ts';

const object = (properties: Record<string, unknown>, fields: Record<string, unknown> = {}) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
  ...fields,
});

describe('structured outputs', () => {
  it.each([
    [{ type: 'string' }],
    [object({})],
    [object({ a: { type: ['string', 'null'], description: 'A.' }, b: { enum: [1, 2] }, c: { const: 'x' } })],
    [object({ list: { type: 'array', items: object({ n: { type: 'integer' } }), minItems: 1 } })],
    [object({ either: { anyOf: [object({}), { type: 'null' }] } })],
    [object({ at: { type: 'string', format: 'date-time' } }, { $schema: 'x', title: 'T' })],
    [object({ a: { $ref: '#/$defs/a' }, b: { $ref: '#/$defs/a' } }, { $defs: { a: object({}) } })],
    [object({ a: { $ref: '#/definitions/a' } }, { definitions: { a: { type: 'number' } } })],
    // Properties may have the names of keywords.
    [object({ pattern: { type: 'string' }, additionalProperties: { type: 'boolean' } })],
  ])('take %j', (schema) => {
    expect(takesSchema(schema)).toBe(true);
  });

  it.each([
    [{ type: 'object' }],
    [{ properties: { a: { type: 'string' } } }],
    [object({}, { additionalProperties: true })],
    [object({}, { additionalProperties: { type: 'string' } })],
    [object({ a: { type: ['object', 'null'] } })],
    [object({ list: { type: 'array', items: { type: 'object' } } })],
    [object({ list: { type: 'array', items: { type: 'string' }, minItems: 2 } })],
    [object({ list: { type: 'array', items: { type: 'string' }, maxItems: 2 } })],
    [object({ n: { type: 'integer', minimum: 0 } })],
    [object({ s: { type: 'string', maxLength: 5 } })],
    [object({ s: { type: 'string', pattern: '^a' } })],
    [object({ either: { oneOf: [{ type: 'string' }] } })],
    [object({ either: { anyOf: [{ type: 'object' }] } })],
    [object({ a: { $ref: '#' } })],
    [object({ a: { $ref: 'https://example.com/a' } })],
    [object({ a: { $ref: '#/$defs/b' } }, { $defs: { a: object({}) } })],
    [object({ a: { $ref: '#/$defs/a' } }, { $defs: { a: object({ a: { $ref: '#/$defs/a' } }) } })],
    [
      object(
        { a: { $ref: '#/$defs/a' } },
        { $defs: { a: object({ b: { $ref: '#/$defs/b' } }), b: object({ a: { $ref: '#/$defs/a' } }) } },
      ),
    ],
    [object({}, { $defs: { unused: { type: 'object' } } })],
    [object({ a: false })],
  ])('reject %j', (schema) => {
    expect(takesSchema(schema)).toBe(false);
  });

  it('take time that does not grow with the number of paths to a definition', () => {
    const names = Array.from({ length: 60 }, (_, index) => `d${index}`);
    const $defs = Object.fromEntries(
      names.map((name, index) => {
        const next = names[index + 1];
        const inner = next === undefined ? { type: 'string' } : { $ref: `#/$defs/${next}` };
        return [name, object({ left: inner, right: inner })];
      }),
    );
    expect(takesSchema(object({ a: { $ref: '#/$defs/d0' } }, { $defs }))).toBe(true);
  });
});
