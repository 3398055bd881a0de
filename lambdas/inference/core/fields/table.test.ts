import { describe, expect, it } from '@jest/globals';
import { type JsonObject, parseJson, rawJson } from '../../../platform/core/json/lossless-json.ts';
import { readFields } from './read-fields.ts';
import { fieldTable } from './table.ts';

const TABLE = fieldTable([
  { at: 'blocks[].inner[]', like: 'blocks[]' },
  { at: '{name,schema}', isConverted: true },
  { at: 'blocks[].{type,text}' },
  { at: 'blocks[].note', isConverted: false },
  { at: 'option.{mode,ttl}' },
  { at: 'extra', needs: (_value, { param }) => [{ kind: 'unpriced', param }], vendors: 'A' },
  { at: 'extra.deep', needs: (_value, { param }) => [{ kind: 'unpriced', param }], vendors: 'A' },
  { at: 'blocks[].mark', isConverted: true, vendors: 'A' },
  { at: ['bag', 'bag.inner'], isContainer: true, vendors: 'A' },
  { at: 'bag.cost', needs: (_value, { param }) => [{ kind: 'unpriced', param }], vendors: 'A' },
]);

const read = (request: JsonObject, allowed: readonly string[] = []) =>
  readFields(TABLE, request, (pattern) => allowed.includes(pattern));

const patternsIn = (request: JsonObject) => read(request).undocumented.map(({ pattern }) => pattern);

describe('the reader of undocumented fields', () => {
  it('returns the request itself if its protocol documents all of its fields', () => {
    const request = {
      name: 'a',
      schema: { any: { field: 1 }, __proto__: null },
      blocks: [{ type: 'b', text: 't', inner: [{ type: 'b' }, 'text', null] }],
      option: null,
    };
    const { body, undocumented } = read(request);
    expect(body).toBe(request);
    expect(undocumented).toEqual([]);
  });

  it.each<[string, JsonObject, JsonObject, string[]]>([
    ['at the root', { name: 'a', foo: 1 }, { name: 'a' }, ['foo']],
    ['in an object', { option: { mode: 1, foo: { bar: 1 } } }, { option: { mode: 1 } }, ['option.foo']],
    [
      'in elements of an array, once',
      { blocks: [{ type: 'a', foo: 1 }, { foo: 2 }] },
      { blocks: [{ type: 'a' }, {}] },
      ['blocks[].foo'],
    ],
    [
      'in elements within elements',
      { blocks: [{ inner: [{ text: 't', inner: [{ foo: 1 }] }] }] },
      { blocks: [{ inner: [{ text: 't', inner: [{}] }] }] },
      ['blocks[].inner[].foo'],
    ],
    ['in one element without its array', { blocks: { foo: 1 } }, { blocks: {} }, ['blocks[].foo']],
    [
      'in elements of mixed types',
      { blocks: [[{ foo: 1 }], 'text'] },
      { blocks: [[{}], 'text'] },
      ['blocks[].foo'],
    ],
    ['in an object within arrays', { option: [[{ foo: 1 }]] }, { option: [[{}]] }, ['option.foo']],
    ['that are null, without a word', { name: 'a', foo: null }, { name: 'a' }, []],
    ['of vendors', { extra: { deep: 1 } }, {}, ['extra']],
  ])('leaves out undocumented fields %s', (_location, request, body, patterns) => {
    expect(read(request).body).toEqual(body);
    expect(patternsIn(request)).toEqual(patterns);
  });

  it('leaves out the names of prototypes, and changes none', () => {
    const request = parseJson('{"name":"a","__proto__":{"polluted":1},"constructor":{"prototype":{}}}');
    const { body } = read(request as JsonObject);
    expect(JSON.stringify(body)).toBe('{"name":"a"}');
    expect(patternsIn(request as JsonObject)).toEqual(['__proto__', 'constructor']);
    const keptBody = read(request as JsonObject, ['__proto__']).body;
    expect(JSON.stringify(keptBody)).toBe('{"name":"a","__proto__":{"polluted":1}}');
    expect(({} as { readonly polluted?: unknown }).polluted).toBeUndefined();
  });

  it('preserves the digits of a long number in place of an object', () => {
    const request = parseJson('{"option":12345678901234567890,"foo":1}') as JsonObject;
    expect(JSON.stringify(read(request).body)).toBe('{"option":12345678901234567890}');
    expect(patternsIn(request)).toEqual(['foo']);
  });

  it('forwards the undocumented fields that the route lists, with their whole contents', () => {
    const request = { extra: { deep: 1, other: 2 }, blocks: [{ mark: { any: 1 }, foo: 1 }] };
    expect(read(request, ['extra', 'blocks[].mark']).body).toEqual({
      ...request,
      blocks: [{ mark: { any: 1 } }],
    });
  });

  it('forwards the fields of a container that the route lists, and names the others', () => {
    const bag = { a: 1, b: { c: 2 }, inner: { d: 3, e: 4 }, cost: 5, empty: null };
    const taken = ['bag.b', 'bag.inner.d'];
    expect(read({ name: 'a', bag }, taken).body).toEqual({
      name: 'a',
      bag: { b: { c: 2 }, inner: { d: 3 } },
    });
    expect(read({ name: 'a', bag }, ['b', 'bag', 'bag.inner', 'bag.z']).body).toEqual({ name: 'a' });
    expect(patternsIn({ bag })).toEqual(['bag.a', 'bag.b', 'bag.inner.d', 'bag.inner.e', 'bag.cost']);
    expect(read({ bag }).undocumented.at(-1)?.needs).toEqual([{ kind: 'unpriced', param: 'bag.cost' }]);
  });

  it.each([[[{ a: 1 }]], 'a', 1, true, [[]], rawJson('12345678901234567890')])(
    'leaves out a container that is no object, and names it: %j',
    (bag) => {
      expect(read({ name: 'a', bag }, ['bag', 'bag.a']).body).toEqual({ name: 'a' });
      expect(patternsIn({ bag })).toEqual(['bag']);
    },
  );

  it('takes no field whose name could be read as the path of another, or is longer than a path shows', () => {
    const long = 'x'.repeat(65);
    const request = { 'blocks[].mark': 1, 'option.foo': 1, [long]: 1 };
    expect(read(request, ['blocks[].mark', 'option.foo', 'x'.repeat(64)]).body).toEqual({});
    expect(patternsIn(request)).toEqual(['"blocks[].mark"', '"option.foo"', `${'x'.repeat(64)}…`]);
  });

  it('reads the needs of an undocumented field apart from those of the request', () => {
    const { needs, undocumented } = read({ extra: { deep: 1 }, blocks: [{ mark: 1 }] });
    expect(needs).toEqual([]);
    expect(undocumented).toEqual([
      {
        pattern: 'extra',
        isConverted: false,
        needs: [
          { kind: 'unpriced', param: 'extra' },
          { kind: 'unpriced', param: 'extra.deep' },
        ],
      },
      { pattern: 'blocks[].mark', isConverted: true, needs: [] },
    ]);
  });

  it('names the documented fields that conversion loses', () => {
    const { unconvertedFields } = read({
      name: 'a',
      option: { mode: 1 },
      blocks: [{ note: 1 }, { note: null }],
    });
    expect([...unconvertedFields]).toEqual(['option', 'blocks', 'blocks[].note']);
  });

  it('names 1,000 of as many unknown fields as a body may have, and forwards none', () => {
    const request = Object.fromEntries(
      Array.from({ length: 100_000 }, (_, index) => [`field-${index}`, index]),
    );
    const { body, undocumented } = read({ ...request, extra: 1 });
    expect(body).toEqual({});
    expect(undocumented).toHaveLength(1_001);
    expect(undocumented.at(-1)).toMatchObject({ pattern: 'extra', needs: [{ kind: 'unpriced' }] });
    const blocks = Array.from({ length: 50_000 }, () => ({ foo: 1 }));
    expect(patternsIn({ blocks })).toEqual(['blocks[].foo']);
  });
});
