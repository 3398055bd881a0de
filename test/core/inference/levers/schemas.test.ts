/**
 * Every field of the vendors' published request schemas is decided. A new version of an SDK whose requests have a new
 * field fails here until somebody says whether the field has a price of its own.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { demandsOf, leverTable } from '../../../../lambdas/core/inference/levers/table.ts';
import { classify } from './classification.ts';
import { scopeOf, scopeOfText } from './schemas/declarations.ts';
import { PACKAGES, type Protocol, PUBLISHED } from './schemas/published.ts';
import { fieldsOf, type RequestField } from './schemas/request-fields.ts';
import { DECIDED, PROTOCOLS, TABLES } from './tables.ts';

const NOTHING_OPEN = { undecided: [], gone: [], astray: [] };

/** At least this number of fields is read of each schema: a reader that overlooks most of one fails. */
const FIELDS: Readonly<Record<Protocol, number>> = {
  'openai-chat': 160,
  'openai-responses': 950,
  'anthropic-messages': 2_900,
  'bedrock-converse': 210,
  gemini: 850,
};

describe.each(PROTOCOLS)('the published schema of %s', (protocol) => {
  const fields = PUBLISHED[protocol]();

  it('has no field that is neither a lever nor decided, and every lever is a field of it', () => {
    expect(fields.length).toBeGreaterThanOrEqual(FIELDS[protocol]);
    expect(classify(fields, TABLES[protocol], DECIDED[protocol])).toEqual(NOTHING_OPEN);
  });

  it('would fail with one more field, at the root or within a tool', () => {
    const [root] = fields;
    const tool = fields.find(({ path }) => /tools(\[\])?\.\w+$/.test(path));
    for (const place of [root, tool]) {
      const path = place?.path.replace(/\w+$/, 'invented');
      const invented = { ...place, name: 'invented', path } as RequestField;
      expect(classify([...fields, invented], TABLES[protocol], DECIDED[protocol])).toEqual({
        ...NOTHING_OPEN,
        undecided: [`${place?.owner}.invented at ${path}`],
      });
    }
  });

  it('would fail without a decision, and with one for a field that is not there', () => {
    expect(classify(fields, TABLES[protocol], {}).undecided.length).toBeGreaterThan(30);
    const more = { ...DECIDED[protocol], Invented: { setting: 'field' } };
    expect(classify(fields, TABLES[protocol], more)).toEqual({ ...NOTHING_OPEN, gone: ['Invented.field'] });
  });

  it('would fail with a lever that no field of it matches', () => {
    const read = () => [];
    const more = leverTable([...TABLES[protocol].levers, { field: 'messages[].invented', read }]);
    expect(classify(fields, more, DECIDED[protocol]).astray).toEqual(['messages[].invented']);
  });
});

describe('a published schema with one more field', () => {
  it('fails, as the SDK would publish it', () => {
    const { path } = scopeOf(join(PACKAGES, '@anthropic-ai/sdk/resources/messages/messages.d.ts'));
    const text = readFileSync(path, 'utf8');
    const more = text.replace('export interface WebSearchTool20260318 {', '$& crawl_depth?: number;');
    const open = (schema: string) =>
      classify(
        fieldsOf(scopeOfText(path, schema), 'MessageCreateParamsBase'),
        TABLES['anthropic-messages'],
        DECIDED['anthropic-messages'],
      ).undecided;
    expect(open(text)).toEqual([]);
    expect(open(more)).toEqual(['WebSearchTool20260318.crawl_depth at tools[].crawl_depth']);
  });
});

/** The texts that the schema of a protocol names as values of the fields at these paths. */
const valuesAt = (protocol: Protocol, path: RegExp): readonly string[] => [
  ...new Set(PUBLISHED[protocol]().flatMap((field) => (path.test(field.path) ? field.values : []))),
];

describe('the types of tools in a published schema', () => {
  it.each([
    ['openai-chat', []],
    // The first has no price without the container that it runs in.
    ['openai-responses', ['code_interpreter', 'image_generation']],
    ['anthropic-messages', ['advisor_20260301']],
  ] as const)(
    'are known, each of %s, and all but these have a price of their own or none',
    (protocol, refused) => {
      const types = valuesAt(protocol, /^tools\[\]\.type$/);
      expect(types.length).toBeGreaterThan(1);
      const unpriced = types.filter((type) =>
        demandsOf(TABLES[protocol], { tools: [{ type }] }).some(({ kind }) => kind === 'unpriced'),
      );
      expect([...unpriced].sort()).toEqual(refused);
    },
  );
});

describe('the service tiers in a published schema', () => {
  it.each([
    ['openai-chat', /^service_tier$/, ['flex', 'scale', 'priority', 'fast']],
    ['openai-responses', /^service_tier$/, ['flex', 'scale', 'priority', 'fast', 'ultrafast']],
    ['anthropic-messages', /^(service_tier|speed)$/, ['fast']],
  ] as const)('are demands of %s, but for the standard ones', (protocol, path, tiers) => {
    const field = protocol === 'anthropic-messages' ? 'speed' : 'service_tier';
    const asked = valuesAt(protocol, path).filter(
      (value) =>
        !['auto', 'standard_only'].includes(value) && demandsOf(TABLES[protocol], { [field]: value }).length,
    );
    expect([...asked].sort()).toEqual([...tiers].sort());
  });
});

describe('the reader of schemas', () => {
  const read = (text: string) => fieldsOf(scopeOfText('request.d.ts', text), 'Request');
  const paths = (text: string) => read(text).map(({ path }) => path);

  it('follows arrays, unions, extended interfaces, namespaces, maps and classes', () => {
    const text = `
      export interface Base { base?: string | null }
      export interface Request extends Base {
        list: Array<One | Other.Two>; both: One & { more: number }; map?: Record<string, One>; made: Made;
        tuple?: (One[] | string)[];
      }
      export interface One { one: 'a' | 'b' }
      export declare namespace Other { interface Two { two: Inner } interface Inner { inner?: never; real: 1 } }
      export declare class Made { field?: string; method(): void }`;
    expect(paths(text)).toEqual([
      ...['base', 'list', 'list[].one', 'list[].two', 'list[].two.real', 'both', 'both.one', 'both.more'],
      ...['map', 'map{}.one', 'made', 'made.field', 'tuple', 'tuple[][].one'],
    ]);
    expect(read(text).find(({ path }) => path === 'list[].one')?.values).toEqual(['a', 'b']);
  });

  it('reads a type within itself once', () => {
    expect(paths('interface Request { filters: Request[]; key: string }')).toEqual(['filters', 'key']);
  });

  it('refuses what it cannot read, so that no field hides behind it', () => {
    expect(() => read('interface Request { of: Unknown }')).toThrow('of: no declaration of Unknown');
    expect(() => read('interface Request { of: A extends B ? C : D }')).toThrow(
      'of: cannot read TsConditionalType',
    );
  });
});
