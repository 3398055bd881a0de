/**
 * Every field of the vendors' published request schemas is forwarded, or listed here as one that is not forwarded yet. A
 * new version of an SDK whose requests have a new field fails here until somebody gives the field a rule or lists it.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import { PROTOCOLS, pricedFeaturesIn, TABLES } from '../../testing/fields/samples/all.ts';
import { scopeOf, scopeOfText } from '../../testing/fields/schemas/declarations.ts';
import { PACKAGES, PUBLISHED } from '../../testing/fields/schemas/published.ts';
import { fieldsOf } from '../../testing/fields/schemas/request-fields.ts';
import type { CallerProtocol } from '../upstream/provider.ts';
import { readFields } from './read-fields.ts';
import { patternsOf } from './table.ts';

/** At least this number of fields is read of each schema: a reader that overlooks most of one fails. */
const FIELDS: Readonly<Record<CallerProtocol, number>> = {
  openai: 130,
  'openai-responses': 510,
  anthropic: 880,
};

/** Published fields, with all that they contain, that are not forwarded. */
const NOT_FORWARDED: Readonly<Record<CallerProtocol, readonly string[]>> = {
  openai: [
    // The schema of a request rejects them.
    'tools[].custom',
    'tool_choice.custom',
    'tool_choice.allowed_tools',
    'messages[].tool_calls[].custom',
    'prediction.content[].prompt_cache_breakpoint',
  ],
  'openai-responses': [],
  anthropic: [
    // Headers.
    'betas',
    'user_profile_id',
    'workspace_id',
    // The service reads the first, which is forwarded by its newer name, and rejects the second.
    'output_format',
    'thread',
    // Of compaction, which is rejected.
    'context_management.edits[].instructions',
    'context_management.edits[].pause_after_compaction',
  ],
};

/** Fields that the SDK does not declare: what this service's answers say of reasoning, and an MCP server's tools. */
const NOT_PUBLISHED: Readonly<Record<CallerProtocol, readonly string[]>> = {
  openai: [
    'messages[].reasoning',
    'messages[].reasoning_content',
    ...['type', 'id', 'index', 'format', 'text', 'summary', 'signature', 'data'].map(
      (name) => `messages[].reasoning_details[].${name}`,
    ),
    'messages[].tool_calls[].extra_content.google.thought_signature',
  ],
  'openai-responses': ['tools[].input_schema', 'tools[].annotations', 'tool_choice.namespace'],
  // Of models before those that the SDK is made for.
  anthropic: ['temperature', 'top_p', 'top_k'],
};

/** A request with a value at this path. */
const requestWith = (path: string): JsonObject =>
  path
    .replaceAll('{}', '.any')
    .split('.')
    .reduceRight<unknown>((value, step) => {
      const [name = '', ...brackets] = step.split('[]');
      return { [name]: brackets.reduce<unknown>((inner) => [inner], value) };
    }, 'value') as JsonObject;

const isForwarded = (protocol: CallerProtocol, path: string): boolean =>
  readFields(TABLES[protocol], requestWith(path)).undocumented.length === 0;

/** Without arrays; blocks within others have the fields of those in messages. */
const plainPath = (path: string): string =>
  path
    .replaceAll(/\[\]|\{\}/g, '')
    .replace(/^messages\.content(\.content|\.source\.content)+(?=\.)/, 'messages.content');

/** The outermost of these paths. */
const outermost = (paths: readonly string[]): readonly string[] =>
  paths.filter(
    (path) =>
      !paths.some(
        (other) => path !== other && /^(\[\])*\./.test(path.slice(other.length)) && path.startsWith(other),
      ),
  );

const pathsOf = (protocol: CallerProtocol): readonly string[] => [
  ...new Set(PUBLISHED[protocol]().map(({ path }) => path)),
];

describe.each(PROTOCOLS)('the published schema of %s', (protocol) => {
  const paths = pathsOf(protocol);

  it('contains only fields that are forwarded or listed as not forwarded', () => {
    expect(paths.length).toBeGreaterThanOrEqual(FIELDS[protocol]);
    const unforwardedPaths = paths.filter((path) => !isForwarded(protocol, path));
    expect([...outermost(unforwardedPaths)].sort()).toEqual([...NOT_FORWARDED[protocol]].sort());
  });

  it('contains every field of the table, except the fields of vendors and the listed ones', () => {
    const plainPaths = new Set(paths.map((path) => plainPath(path)));
    const patterns = TABLES[protocol].rules.filter((rule) => rule.vendors === undefined).flatMap(patternsOf);
    const unknown = patterns.filter((pattern) => !plainPaths.has(plainPath(pattern)));
    expect(unknown).toEqual(NOT_PUBLISHED[protocol]);
  });
});

describe('a published schema with one more field', () => {
  it('fails, as the SDK would publish it', () => {
    const { path } = scopeOf(join(PACKAGES, '@anthropic-ai/sdk/resources/messages/messages.d.ts'));
    const text = readFileSync(path, 'utf8');
    const extendedText = text.replace('export interface WebSearchTool20260318 {', '$& crawl_depth?: number;');
    const unforwardedPaths = (schema: string) =>
      fieldsOf(scopeOfText(path, schema), 'MessageCreateParamsBase')
        .map((field) => field.path)
        .filter((field) => !isForwarded('anthropic', field));
    expect(unforwardedPaths(extendedText).filter((field) => !unforwardedPaths(text).includes(field))).toEqual(
      ['tools[].crawl_depth'],
    );
  });
});

/** The texts that the schema of a protocol names as values of the fields at these paths. */
const valuesAt = (protocol: CallerProtocol, path: RegExp): readonly string[] => [
  ...new Set(PUBLISHED[protocol]().flatMap((field) => (path.test(field.path) ? field.values : []))),
];

describe('the types of tools in a published schema', () => {
  it.each([
    ['openai', []],
    // The first has no price without the container that it runs in.
    ['openai-responses', ['code_interpreter', 'image_generation']],
    ['anthropic', ['advisor_20260301']],
  ] as const)('yield no unpriced feature for %s, except the listed types', (protocol, rejectedTypes) => {
    const types = valuesAt(protocol, /^tools\[\]\.type$/);
    expect(types.length).toBeGreaterThan(1);
    const unpriced = types.filter((type) =>
      pricedFeaturesIn(protocol, { tools: [{ type }] }).some(({ kind }) => kind === 'unpriced'),
    );
    expect([...unpriced].sort()).toEqual(rejectedTypes);
  });
});

describe('the service tiers in a published schema', () => {
  it.each([
    ['openai', /^service_tier$/, ['flex', 'scale', 'priority', 'fast']],
    ['openai-responses', /^service_tier$/, ['flex', 'scale', 'priority', 'fast', 'ultrafast']],
    ['anthropic', /^(service_tier|speed)$/, ['fast']],
  ] as const)('require a price of %s, except the standard ones', (protocol, path, tiers) => {
    const field = protocol === 'anthropic' ? 'speed' : 'service_tier';
    const requestedValues = valuesAt(protocol, path).filter(
      (value) =>
        !['auto', 'standard_only'].includes(value) && pricedFeaturesIn(protocol, { [field]: value }).length,
    );
    expect([...requestedValues].sort()).toEqual([...tiers].sort());
  });
});

describe('the reader of schemas', () => {
  const read = (text: string) => fieldsOf(scopeOfText('request.d.ts', text), 'Request');
  it('reads the fields of extended interfaces and of maps, once each', () => {
    const text = `
      export interface Base { base?: string | null }
      export interface Request extends Base { map: { [key: string]: One }; again: Request }
      export interface One { one: 'a' | 'b' }`;
    expect(read(text)).toEqual([
      { path: 'base', values: [] },
      { path: 'map', values: [] },
      { path: 'map{}.one', values: ['a', 'b'] },
      { path: 'again', values: [] },
    ]);
  });

  it('rejects a schema that it cannot read, so that no field stays hidden', () => {
    expect(() => read('interface Request { of: Unknown }')).toThrow('of: no declaration of Unknown');
    expect(() => read('interface Request { of: A extends B ? C : D }')).toThrow(
      'of: cannot read TsConditionalType',
    );
  });
});
