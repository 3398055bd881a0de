import { describe, expect } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import type * as z from 'zod';
import { it } from '../../tools/test-kit/search.ts';
import { rounds } from '../../tools/test-kit/thorough.ts';
import { policySchema } from '../access/core/keys/policy.ts';
import { chatCompletionRequest } from '../inference/formats/chat/schema.ts';
import { usageQuery } from '../ledger/core/usage/queries.ts';
import { newListing } from '../marketplace/core/listings/fields.ts';
import { readIfMatch } from '../marketplace/core/listings/revision.ts';
import { createOrderRequest } from '../payments/core/order-requests.ts';
import { createSchema, recoverSchema } from '../webhooks/core/request.ts';
import { parseTarget } from '../webhooks/core/target.ts';
import { describeService } from './operations.ts';
import { inlineSchema, type JsonSchema } from './schemas.ts';

const document = describeService();
const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);

/** Every part of the document that is an object, with the way to it. */
function* partsOf(part: unknown, path = ''): Generator<readonly [string, JsonSchema], void> {
  if (typeof part !== 'object' || part === null) return;
  yield [path, part as JsonSchema];
  for (const [name, inner] of Object.entries(part)) yield* partsOf(inner, `${path}/${name}`);
}

const patterns = new Set(
  [...partsOf(document)].flatMap(([, { pattern }]) => (typeof pattern === 'string' ? [pattern] : [])),
);

function described(schema: z.ZodType, ...path: readonly string[]): JsonSchema {
  let part: unknown = inlineSchema(schema);
  for (const name of ['properties', ...path]) part = (part as Record<string, unknown>)[name];
  return part as JsonSchema;
}

const alternatives = (schema: JsonSchema): readonly JsonSchema[] =>
  ((schema.anyOf ?? [schema]) as readonly JsonSchema[]).flatMap((one) =>
    one.anyOf === undefined ? [one] : alternatives(one),
  );

/** Texts and numbers that a schema allows, those at its limits among them. */
const allowedBy = (schema: JsonSchema): fc.Arbitrary<unknown> => {
  const isAllowed = ajv.compile(schema);
  // Few texts of the pattern of a time are times.
  const all = alternatives(schema)
    .filter(({ format }) => format === undefined)
    .map(({ pattern, minimum, maximum }) =>
      typeof pattern === 'string'
        ? fc.stringMatching(new RegExp(pattern, 'u'), { maxLength: 60 })
        : fc.oneof(
            fc.constantFrom(minimum, maximum),
            fc.integer({ min: Math.ceil(Number(minimum)), max: Number(maximum) }),
          ),
    );
  return fc.oneof(...all).filter((value) => isAllowed(value) === true);
};

/** Fails with a value that the description allows and the endpoint refuses. */
function takesAll(
  schema: JsonSchema,
  takes: (value: unknown) => unknown,
  otherValues?: fc.Arbitrary<unknown>,
) {
  const isAllowed = ajv.compile(schema);
  const allowed = allowedBy(schema);
  const values =
    otherValues === undefined
      ? allowed
      : fc.oneof(
          allowed,
          otherValues.filter((value) => isAllowed(value) === true),
        );
  fc.assert(
    fc.property(values, (value) => {
      expect([value, takes(value)]).toEqual([value, true]);
    }),
    { numRuns: rounds(300) },
  );
}

describe('the patterns of the description', () => {
  it.each([...patterns])('avoid syntax that differs between regular expression dialects: %s', (pattern) => {
    expect(pattern).not.toMatch(/\\[pPkuUGAzZ]|\(\?[<P]|\(\?!|\(\?=/);
    expect(() => [new RegExp(pattern), new RegExp(pattern, 'u')]).not.toThrow();
  });

  it('allow every name, category and tag that a listing may have', () => {
    const fields = { name: newListing.shape.name, category: newListing.shape.category };
    const listed = { ...fields, tag: newListing.shape.tags.unwrap().element };
    const strings = fc.oneof(
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }),
      fc.stringMatching(/^[\p{L}\p{N}]{1,8}([ &+-]{1,2}[\p{L}\p{N}]{1,8}){0,3}$/u),
    );
    for (const [name, schema] of Object.entries(listed)) {
      const isAllowed = ajv.compile(inlineSchema(schema));
      fc.assert(
        fc.property(strings, (text) => {
          const isTaken = schema.safeParse(text).success;
          fc.pre(isTaken && text === text.trim());
          expect([name, text, isAllowed(text)]).toEqual([name, text, true]);
        }),
        { numRuns: rounds(200) },
      );
    }
    const isName = ajv.compile(inlineSchema(newListing.shape.name));
    expect(['two\nlines', 'a\u0000b', 'a\u2028b'].map((text) => isName(text))).toEqual([false, false, false]);
  });
});

describe('the values that the description allows', () => {
  it('validation accepts each amount of an order that the description allows', () => {
    const takes = (amount: unknown) => createOrderRequest.safeParse({ amount, currency: 'USD' }).success;
    takesAll(described(createOrderRequest, 'amount'), takes);
    const isAllowed = ajv.compile(described(createOrderRequest, 'amount'));
    const wrong = ['', '0'.repeat(31), '0.49', '10000.01', '1.005', 'ten', 0.49, 10_001, -1];
    expect(wrong.filter((amount) => isAllowed(amount))).toEqual([]);
    expect(wrong.filter(takes)).toEqual([]);
  });

  it('validation accepts each cap of a key that the description allows', () => {
    const takes = (amount: unknown) => policySchema.safeParse({ monthly_usd: amount }).success;
    const schema = described(policySchema, 'monthly_usd');
    takesAll(schema, takes);
    const isAllowed = ajv.compile(schema);
    const wrong = ['', '-1', '1.0000000001', '1000000001', '1000000000.1', 'x', -1, 1e9 + 1];
    expect(wrong.filter((amount) => isAllowed(amount))).toEqual([]);
    expect(wrong.filter(takes)).toEqual([]);
    expect(['1000000000', '0', 0.5].every((amount) => isAllowed(amount) && takes(amount))).toBe(true);
  });

  const dates = fc
    .date({ min: new Date('1980-01-02'), max: new Date('9999-12-30'), noInvalidDate: true })
    .map((date) => date.toISOString());

  it.each(['start', 'end'])(
    'validation accepts each time of a query that the description allows: %s',
    (name) => {
      const takes = (time: unknown) => usageQuery.safeParse({ [name]: time }).success;
      takesAll(described(usageQuery, name), takes, dates);
      const isAllowed = ajv.compile(described(usageQuery, name));
      const wrong = ['', 'yesterday', '2026-13-01T00:00:00Z', '1969-12-31T00:00:00Z', '9'.repeat(13)];
      expect(wrong.filter((time) => isAllowed(time))).toEqual([]);
      expect(wrong.filter(takes)).toEqual([]);
      expect(isAllowed('2026-11-23T10:00:00+01:00')).toBe(true);
    },
  );

  it('validation accepts each start time of a delivery recovery that the description allows', () => {
    const takes = (since: unknown) => recoverSchema.safeParse({ since }).success;
    takesAll(described(recoverSchema, 'since'), takes, dates);
    expect(ajv.compile(described(recoverSchema, 'since'))('soon')).toBe(false);
  });

  it('validation accepts each URL of a webhook that the description allows', () => {
    const takes = (url: unknown) => {
      const parsed = createSchema.safeParse({ url, events: ['listing.installed'] });
      return parsed.success && parseTarget(String(url), false).protocol === 'https:';
    };
    const hosts = fc.webUrl({ validSchemes: ['https'], withQueryParameters: true, withFragments: true });
    fc.assert(fc.property(hosts, (url) => void expect([url, takes(url)]).toEqual([url, true])));
    const isAllowed = ajv.compile(described(createSchema, 'url'));
    expect(isAllowed('https://example.com/hook?a=b')).toBe(true);
    const wrong = [
      '',
      'x',
      'http://example.com/',
      'https://',
      'https://a:b@example.com/',
      'https://e x.com/',
    ];
    expect(wrong.filter((url) => isAllowed(url))).toEqual([]);
  });

  it('the reader of If-Match accepts each condition that the description allows', () => {
    const headers = [...partsOf(document)].filter(([, { name }]) => name === 'If-Match');
    expect(headers.length).toBeGreaterThan(3);
    const takes = (value: unknown) => {
      const condition = readIfMatch(new Headers({ 'if-match': String(value) }));
      return typeof condition(1) === 'boolean';
    };
    for (const [, { schema }] of headers.slice(0, 1)) takesAll(schema as JsonSchema, takes);
    expect(headers.map(([, { schema }]) => ajv.compile(schema as JsonSchema)(''))).toEqual(
      headers.map(() => false),
    );
  });

  it('validation accepts a tool choice, which needs tools, if and only if the description allows it', () => {
    const isAllowed = ajv.compile(inlineSchema(chatCompletionRequest));
    const tools = [{ type: 'function', function: { name: 'f' } }];
    const named = { type: 'function', function: { name: 'f' } };
    const cases = [
      {},
      ...['auto', 'none', 'required', null, named].map((choice) => ({ tool_choice: choice })),
    ];
    for (const fields of cases.flatMap((one) => [one, { ...one, tools: null }, { ...one, tools }])) {
      const body = { model: 'm', messages: [{ role: 'user', content: 'Hi' }], ...fields };
      expect([fields, isAllowed(body)]).toEqual([fields, chatCompletionRequest.safeParse(body).success]);
    }
  });
});

describe('bytes', () => {
  it('use the binary format in the description of each request and response that contains them', () => {
    const bodies = [...partsOf(document)]
      .filter(([path]) => /(requestBody|responses\/\d+)\/content$/.test(path))
      .flatMap(([path, content]) => Object.entries(content).map(([type, body]) => ({ path, type, body })));
    const isText = /^(text\/|application\/json|multipart\/)/;
    const bytes = bodies.filter(({ type }) => !isText.test(type));
    expect(bytes.map(({ type }) => type)).toEqual(['audio/mpeg', 'audio/wav']);
    for (const { type, body } of bytes)
      expect(body).toMatchObject({
        schema: { type: 'string', format: 'binary', contentMediaType: type },
      });
    const form = bodies.find(({ type }) => type === 'multipart/form-data');
    expect(form?.body).toMatchObject({
      schema: { properties: { file: { type: 'string', format: 'binary' } }, required: ['file'] },
    });
  });
});
