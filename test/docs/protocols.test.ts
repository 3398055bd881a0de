import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { Demand } from '../../lambdas/core/inference/levers/demand.ts';
import { unpriced } from '../../lambdas/core/inference/levers/readers.ts';
import type { Lever } from '../../lambdas/core/inference/levers/table.ts';
import { asksBy, samplesOf } from '../core/inference/levers/samples/all.ts';
import type { Protocol } from '../core/inference/levers/schemas/published.ts';
import { PROTOCOLS, TABLES } from '../core/inference/levers/tables.ts';

const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'protocols.md'), 'utf8');
const section = page.split('<!-- levers -->')[1]?.split('<!-- /levers -->')[0] ?? '';

const ASKED: Readonly<Record<Demand['kind'], string>> = {
  'service-tier': 'a service tier',
  region: 'a region',
  'cache-write': 'a cache write',
  tokens: 'tokens of another kind than text',
  feature: 'a tool that the provider runs',
  output: 'output beyond its bound',
  unpriced: 'always refused',
};

const NAMES: Readonly<Record<Protocol, string>> = {
  'openai-chat': 'chat',
  'openai-responses': 'Responses',
  'anthropic-messages': 'Messages',
  'bedrock-converse': 'Converse',
  gemini: 'Gemini',
};

const KINDS = Object.keys(ASKED) as Demand['kind'][];

/** What most values of a lever ask for; one that nobody knows is refused by any of them. */
function kindOf(protocol: Protocol, lever: Lever): Demand['kind'] | undefined {
  if (lever.read === unpriced) return 'unpriced';
  const demands = samplesOf(protocol, lever).flatMap((sample) => sample.demands);
  const kinds = new Set(demands.filter(({ param }) => asksBy(lever, param)).map(({ kind }) => kind));
  return KINDS.find((kind) => kinds.has(kind));
}

const leversOf = (protocol: Protocol, kind: Demand['kind'], ofHosts: boolean): readonly Lever[] =>
  TABLES[protocol].levers.filter(
    (lever) => (lever.hosts !== undefined) === ofHosts && kindOf(protocol, lever) === kind,
  );

const row = (...cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

/** The rows of the page: of the protocols themselves, then of single hosts. */
const EXPECTED = [
  ...PROTOCOLS.flatMap((protocol) =>
    KINDS.flatMap((kind) => {
      const fields = leversOf(protocol, kind, false).map(({ field }) => `\`${field}\``);
      return fields.length === 0 ? [] : [row(NAMES[protocol], ASKED[kind], fields.join(', '))];
    }),
  ),
  ...PROTOCOLS.flatMap((protocol) =>
    KINDS.flatMap((kind) =>
      leversOf(protocol, kind, true).map(({ field, hosts = '' }) =>
        row(NAMES[protocol], `\`${field}\``, hosts, ASKED[kind]),
      ),
    ),
  ),
];

describe('the page on protocols', () => {
  it('lists every lever by what it asks for, and no other field', () => {
    const rows = section.split('\n').filter((line) => line.startsWith('| ') && line.includes('`'));
    expect(EXPECTED.length).toBeGreaterThan(40);
    expect(rows).toEqual(EXPECTED);
  });
});
