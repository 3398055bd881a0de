import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { Dialect } from '../../lambdas/inference/core/catalog/dialect.ts';
import { PRESETS } from '../../lambdas/inference/core/catalog/dialect-presets.ts';
import type { PricedFeature } from '../../lambdas/inference/core/fields/need.ts';
import { unpriced } from '../../lambdas/inference/core/fields/readers.ts';
import { type FieldRule, patternsOf } from '../../lambdas/inference/core/fields/table.ts';
import type { CallerProtocol } from '../../lambdas/inference/core/upstream/provider.ts';
import { isAt, PROTOCOLS, samplesOf, TABLES } from '../../lambdas/inference/testing/fields/samples/all.ts';

const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'fields.md'), 'utf8');
const section = page.split('<!-- priced fields -->')[1]?.split('<!-- /priced fields -->')[0] ?? '';

const QUESTION: Readonly<Record<PricedFeature['kind'], string>> = {
  'service-tier': 'a service tier',
  region: 'a region',
  'cache-write': 'a cache write',
  tokens: 'tokens other than text',
  'server-tool': 'a server tool',
  output: 'output beyond its bound',
  unpriced: 'always rejected',
};

const NAMES: Readonly<Record<CallerProtocol, string>> = {
  openai: 'chat',
  'openai-responses': 'Responses',
  anthropic: 'Messages',
};

const KINDS = Object.keys(QUESTION) as PricedFeature['kind'][];

/**
 * Returns the feature that most values of the fields request. Every one of these kinds also rejects an unknown value.
 */
function kindOf(protocol: CallerProtocol, rule: FieldRule): PricedFeature['kind'] | undefined {
  if (rule.needs === unpriced) return 'unpriced';
  const features = samplesOf(protocol, rule).flatMap((sample) => sample.features);
  const kinds = new Set(features.filter(({ param }) => isAt(rule, param)).map(({ kind }) => kind));
  return KINDS.find((kind) => kinds.has(kind));
}

const rulesOf = (
  protocol: CallerProtocol,
  kind: PricedFeature['kind'],
  ofVendors: boolean,
): readonly FieldRule[] =>
  TABLES[protocol].rules.filter(
    (rule) => (rule.vendors !== undefined) === ofVendors && rule.needs && kindOf(protocol, rule) === kind,
  );

/** Returns the fields of a rule. If the same field has several paths, the first represents them all. */
const fieldsOf = (rule: FieldRule): readonly string[] =>
  patternsOf(typeof rule.at === 'string' ? rule : { at: rule.at[0] ?? '' }).map((field) => `\`${field}\``);

const row = (...cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

/** The rows of the page: of the protocols themselves, then of single hosts. */
const EXPECTED = [
  ...PROTOCOLS.flatMap((protocol) =>
    KINDS.flatMap((kind) => {
      const fields = rulesOf(protocol, kind, false).flatMap(fieldsOf);
      return fields.length === 0 ? [] : [row(NAMES[protocol], QUESTION[kind], fields.join(', '))];
    }),
  ),
  ...PROTOCOLS.flatMap((protocol) =>
    KINDS.flatMap((kind) =>
      rulesOf(protocol, kind, true).map((rule) =>
        row(NAMES[protocol], fieldsOf(rule).join(', '), rule.vendors ?? '', QUESTION[kind]),
      ),
    ),
  ),
];

describe('the page on fields', () => {
  it('lists every priced field by its priced feature, and no other field', () => {
    const rows = section.split('\n').filter((line) => line.startsWith('| ') && line.includes('`'));
    expect(EXPECTED.length).toBeGreaterThan(40);
    expect(rows).toEqual(EXPECTED);
  });

  it('lists the fields that each preset of a dialect takes', () => {
    const listed = page.split('<!-- passes -->')[1]?.split('<!-- /passes -->')[0] ?? '';
    const expected = Object.entries<Dialect>(PRESETS).flatMap(([name, { passes }]) =>
      passes === undefined ? [] : [row(`\`${name}\``, passes.map((field) => `\`${field}\``).join(', '))],
    );
    expect(listed.split('\n').filter((line) => line.startsWith('| `'))).toEqual(expected);
  });
});
