import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { Dialect } from '../../lambdas/inference/core/catalog/dialect.ts';
import { PRESETS } from '../../lambdas/inference/core/catalog/dialect-presets.ts';
import type { PricedFeature } from '../../lambdas/inference/core/fields/need.ts';
import { unpriced, withinLimit } from '../../lambdas/inference/core/fields/readers.ts';
import { type FieldRule, type FieldTable, patternsOf } from '../../lambdas/inference/core/fields/table.ts';
import { embeddings } from '../../lambdas/inference/core/kinds/embeddings/embeddings.ts';
import { images } from '../../lambdas/inference/core/kinds/images/images.ts';
import { speech } from '../../lambdas/inference/core/kinds/speech/speech.ts';
import { TRANSCRIPTION_FIELDS } from '../../lambdas/inference/core/kinds/transcriptions/schema.ts';
import type { CallerProtocol } from '../../lambdas/inference/core/upstream/provider.ts';
import { isAt, PROTOCOLS, samplesOf, TABLES } from '../../lambdas/inference/testing/fields/samples/all.ts';

/** Returns the part of a page between two marks. */
const sectionOf = (name: string, mark: string): string =>
  readFileSync(join(import.meta.dirname, '..', '..', 'docs', name), 'utf8')
    .split(`<!-- ${mark} -->`)[1]
    ?.split(`<!-- /${mark} -->`)[0] ?? '';

const section = sectionOf('fields.md', 'priced fields');

type Charge = PricedFeature['kind'] | 'limit';

const QUESTION: Readonly<Record<Charge, string>> = {
  'service-tier': 'a service tier',
  region: 'a region',
  'cache-write': 'a cache write',
  tokens: 'tokens other than text',
  'server-tool': 'a server tool',
  output: 'output beyond its bound',
  limit: 'rejected above `max_tokens`',
  unpriced: 'always rejected',
};

const NAMES: Readonly<Record<CallerProtocol, string>> = {
  openai: 'chat',
  'openai-responses': 'Responses',
  anthropic: 'Messages',
};

const KINDS = Object.keys(QUESTION) as Charge[];

/**
 * Returns the feature that most values of the fields request. Every one of these kinds also rejects an unknown value.
 */
function kindOf(protocol: CallerProtocol, rule: FieldRule): Charge | undefined {
  if (rule.needs === withinLimit) return 'limit';
  if (rule.needs === unpriced) return 'unpriced';
  const features = samplesOf(protocol, rule).flatMap((sample) => sample.features);
  const kinds: ReadonlySet<Charge> = new Set(
    features.filter(({ param }) => isAt(rule, param)).map(({ kind }) => kind),
  );
  return KINDS.find((kind) => kinds.has(kind));
}

const rulesOf = (protocol: CallerProtocol, kind: Charge, ofVendors: boolean): readonly FieldRule[] =>
  TABLES[protocol].rules.filter(
    (rule) => (rule.vendors !== undefined) === ofVendors && rule.needs && kindOf(protocol, rule) === kind,
  );

/** Returns the fields of a rule. If the same field has several paths, the first represents them all. */
const fieldsOf = (rule: FieldRule): readonly string[] =>
  patternsOf(typeof rule.at === 'string' ? rule : { at: rule.at[0] ?? '' }).map((field) => `\`${field}\``);

const row = (...cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

/** Kinds other than chat, whose fields have no separate prices. */
const KIND_TABLES: readonly (readonly [kind: string, table: FieldTable])[] = [
  ['embeddings', embeddings.fields],
  ['images', images.fields],
  ['speech', speech.fields],
  ['transcriptions', TRANSCRIPTION_FIELDS],
];

/** The rows of the page: of the protocols themselves, then of single hosts. */
const EXPECTED = [
  ...PROTOCOLS.flatMap((protocol) =>
    KINDS.flatMap((kind) => {
      const fields = rulesOf(protocol, kind, false).flatMap(fieldsOf);
      return fields.length === 0 ? [] : [row(NAMES[protocol], QUESTION[kind], fields.join(', '))];
    }),
  ),
  ...KIND_TABLES.flatMap(([kind, { rules }]) => {
    const fields = rules.filter(({ needs }) => needs !== undefined).flatMap(fieldsOf);
    return fields.length === 0 ? [] : [row(kind, QUESTION.unpriced, fields.join(', '))];
  }),
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
});

describe('the page on protocols', () => {
  it('lists the fields that each preset of a dialect takes, each with its source', () => {
    const rows = sectionOf('protocols.md', 'hosts')
      .split('\n')
      .filter((line) => line.startsWith('| `'));
    const expected = Object.entries<Dialect>(PRESETS).flatMap(([name, { passes }]) =>
      passes === undefined ? [] : [row(`\`${name}\``, passes.map((field) => `\`${field}\``).join(', '))],
    );
    const sources = rows.map((line) => line.split(' | ')[2] ?? '');
    expect(rows.map((line) => `${line.split(' | ').slice(0, 2).join(' | ')} |`)).toEqual(expected);
    expect(sources.filter((source) => !/^\[[^\]]+\]\(https:\/\/[^)]+\)/.test(source))).toEqual([]);
  });
});
