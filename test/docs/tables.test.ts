import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ROUTES } from '../../lambdas/app/routes.ts';
import { QUOTAS } from '../../lambdas/platform/core/api/quotas.ts';
import { ERROR_CODES } from '../../lambdas/platform/core/errors.ts';
import { parseConfig, SETTINGS } from '../../lib/config/config.ts';
import { COMMANDS } from '../../operator/commands.ts';
import type { Report } from '../../tools/bench/harness/report.ts';
import { newestPeers, peersSection } from '../../tools/bench/peers/comparison.ts';
import { readSettings } from '../../tools/local/settings.ts';
import { QUIRKS } from '../../tools/simulators/models/hosts/quirks.ts';
import { cellsOf, ROOT, readPage, rowOf, rowsOf } from './pages.ts';

const squeeze = (text: string) => text.replaceAll(/ +/g, ' ');
const json = (path: string) => JSON.parse(readPage(path));
const namesIn = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
const RESULTS = join('tools', 'bench', 'results');

/** The text in the table's last column, by the authentication of a route. */
const KEY_COLUMN = {
  none: 'no',
  'api-key': 'yes',
  session: 'session',
  'api-key-or-session': 'yes or session',
  operator: 'operator',
} as const;

it('docs/reference.md lists exactly the routes of the route table', () => {
  expect(rowsOf('docs/reference.md', 'routes')).toEqual(
    ROUTES.map(({ method, path, purpose, authentication }) =>
      rowOf(method, `\`${path.replace('+}', '}')}\``, purpose, KEY_COLUMN[authentication]),
    ),
  );
});

it('docs/errors.md has every error code with its status and type, and every quota', () => {
  const rows = squeeze(readPage('docs/errors.md')).split('\n');
  for (const [code, { status, type }] of Object.entries(ERROR_CODES))
    expect(rows.find((row) => row.includes(`\`${code}\``)) ?? '').toContain(`| ${status} | \`${type}\``);
  expect(rowsOf('docs/errors.md', 'quotas')).toEqual(
    Object.entries(QUOTAS).map(([name, most]) => rowOf(`\`${name}\``, most)),
  );
});

describe('docs/operate/settings.md', () => {
  const rows = rowsOf('docs/operate/settings.md', 'settings').map(cellsOf);

  it('lists every setting and no other', () => {
    expect(rows.flatMap(([name = '']) => namesIn(name)).sort()).toEqual([...SETTINGS].sort());
  });

  it('states each default', () => {
    const defaults = parseConfig({}) as Record<string, unknown>;
    const written = (value: unknown) => (JSON.stringify(value) === '{}' ? 'none' : String(value));
    const stated = rows.map(([name = '', usual = '']) =>
      [name, usual].map((cell) => cell.replaceAll('`', '')),
    );
    const compared = stated.filter(([name = '']) => defaults[name] !== undefined);
    expect(compared.length).toBeGreaterThan(5);
    for (const [name = '', usual] of compared) expect([name, usual]).toEqual([name, written(defaults[name])]);
  });
});

it('docs/local.md lists every variable that the local service reads, and no other', () => {
  const read = new Set<string>();
  readSettings(new Proxy({}, { get: (_, name) => void read.add(String(name)) }));
  const rows = rowsOf('docs/local.md', 'variables').map(cellsOf);
  expect(rows.flatMap(([names = '']) => namesIn(names)).sort()).toEqual([...read].sort());
});

it('docs/local.md lists every quirk of the simulated hosts, and no other', () => {
  expect(rowsOf('docs/local.md', 'quirks').flatMap(namesIn).sort()).toEqual([...QUIRKS].sort());
});

it('docs/operate/commands.md lists every operator command, and no other', () => {
  const rows = readPage('docs/operate/commands.md').match(/^\| `.*$/gm) ?? [];
  const listed = rows.flatMap((row) => namesIn(cellsOf(row)[0] ?? ''));
  const nameOf = (form: string) => /^[a-z]+( [a-z]+)?/.exec(form)?.[0] ?? '';
  expect([...new Set(listed.map(nameOf))].sort()).toEqual(Object.keys(COMMANDS).sort());
});

it('docs/dependencies.md gives the reason for every runtime dependency, and for no other', () => {
  const { dependencies } = json('package.json') as { dependencies: object };
  const rows = readPage('docs/dependencies.md').match(/^\| `.*$/gm) ?? [];
  const listed = rows.flatMap((row) => namesIn(cellsOf(row)[0] ?? ''));
  expect(listed.sort()).toEqual(Object.keys(dependencies).sort());
});

describe('the comparison with others', () => {
  const report = newestPeers(join(ROOT, RESULTS));
  const section = report === undefined ? '' : squeeze(peersSection(report));

  it('reaches docs/benchmarks.md with its newest values', () => {
    expect(squeeze(readPage('docs/benchmarks.md'))).toContain(section);
    expect(section.length).toBeGreaterThan(1_000);
  });

  const lines = section.split('\n');
  const goals = lines.filter((line) => /\| (met|\*\*missed\*\*) \|$/.test(line)).map(cellsOf);

  it('shows the same values in the README, with every goal, met or missed', () => {
    const valuesOf = (title: string) => {
      const [, ours, , portkey, litellm] = cellsOf(lines.find((line) => line.startsWith(`| ${title}`)) ?? '');
      return [ours, portkey, litellm];
    };
    expect(rowsOf('README.md', 'compared')).toEqual([
      rowOf('Latency added to a streamed chat call, p50', ...valuesOf('added to chat streamed, p50')),
      rowOf('Latency added to a chat call, p50', ...valuesOf('added to chat, p50')),
      rowOf('Maximum streamed chat calls a second', ...valuesOf('most calls a second, chat streamed')),
      rowOf('Maximum chat calls a second', ...valuesOf('most calls a second, chat |')),
    ]);
    expect(goals.length).toBeGreaterThan(3);
    expect(rowsOf('README.md', 'goals').map((row) => cellsOf(row).slice(1))).toEqual(
      goals.map((goal) => goal.slice(1)),
    );
    expect(readPage('README.md')).toContain(report?.date);
  });

  it('tells operators every missed goal before they decide', () => {
    const missed = goals.filter((goal) => goal.at(-1) !== 'met').map((goal) => goal.slice(1, 3));
    const ownGoals = rowsOf('docs/benchmarks.md', 'measured').filter((row) => row.includes('**missed**'));
    const own = ownGoals.map((row) => cellsOf(row.replace(', **missed**', '')).slice(3));
    expect(rowsOf('docs/operate.md', 'missed').map((row) => cellsOf(row).slice(1))).toEqual([
      ...missed,
      ...own,
    ]);
  });
});

it('docs/benchmarks.md shows values of the newest result of each bench', () => {
  const results = readdirSync(join(ROOT, RESULTS)).sort();
  const rows = rowsOf('docs/benchmarks.md', 'measured').map(cellsOf);
  expect(rows.length).toBeGreaterThan(10);
  for (const [, bench = '', figure = '', measured] of rows) {
    const [newest = ''] = results.filter((name) => name.endsWith(`-${namesIn(bench)[0]}.json`)).slice(-1);
    const { figures } = json(join(RESULTS, newest)) as Report;
    const values = figures
      .filter(({ name }) => name === namesIn(figure)[0])
      .map(({ value, unit }) => `${value} ${unit}`);
    expect([figure, values]).toEqual([figure, expect.arrayContaining([measured])]);
  }
});

interface Rates {
  readonly input?: number;
  readonly image?: number;
  readonly output?: number;
  readonly cached_input?: number;
  readonly cache_writes?: Readonly<Record<string, number>>;
}

it('docs/operate/bedrock.md lists every shipped model with its prices and tiers, and no other', () => {
  const rows = rowsOf('docs/operate/bedrock.md', 'bedrock').map((row) => {
    const [model = '', ...amounts] = cellsOf(row);
    const above = /above ([0-9,]+)/.exec(model)?.[1]?.replaceAll(',', '');
    return [above === undefined ? namesIn(model)[0] : Number(above), ...amounts.slice(0, 5)];
  });
  const { models } = json('catalogs/bedrock.json') as {
    models: { id: string; price: Rates & { tiers?: (Rates & { above: number })[] } }[];
  };
  const cells = ({ input, image, output, cached_input: cached, cache_writes: writes }: Rates) =>
    [image === undefined ? input : `${image} an image`, output, cached, writes?.['5m'], writes?.['1h']].map(
      (amount) => `${amount ?? ''}`,
    );
  expect(rows).toEqual(
    models.flatMap(({ id, price }) => [
      [id, ...cells(price)],
      ...(price.tiers ?? []).map((tier) => [tier.above, ...cells(tier)]),
    ]),
  );
  expect(rows.length).toBeGreaterThan(10);
});

it('every decision has a date, a status, and the decision that supersedes it', () => {
  const names = readdirSync(join(ROOT, 'docs', 'decisions'));
  expect(names.length).toBeGreaterThan(20);
  for (const name of names) {
    const [, , date, , status = ''] = readPage(`docs/decisions/${name}`).split('\n');
    expect([name, date]).toEqual([name, name.slice(0, 10)]);
    expect([name, status]).toEqual([
      name,
      expect.stringMatching(/^\*\*Status\.\*\* (Accepted|Superseded by \[.+\]\((.+)\))/),
    ]);
    for (const [, successor] of status.matchAll(/\(([^()]+\.md)\)/g)) expect(names).toContain(successor);
  }
});
