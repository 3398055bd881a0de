import { existsSync, readdirSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ROUTES } from '../../lambdas/app/routes.ts';
import { MISSING_PATHS } from '../../lambdas/platform/core/api/missing-paths.ts';
import { QUOTAS } from '../../lambdas/platform/core/api/quotas.ts';
import { ERROR_CODES } from '../../lambdas/platform/core/errors.ts';
import { EVENT_DATA } from '../../lambdas/webhooks/core/event-data.ts';
import { parseConfig, SETTINGS } from '../../lib/config/config.ts';
import { COMMANDS } from '../../operator/commands/commands.ts';
import { pagesWithFigures, staleResults } from '../../tools/bench/figures/pages.ts';
import { readSettings } from '../../tools/local/settings.ts';
import { QUIRKS } from '../../tools/simulators/models/hosts/quirks.ts';
import { cellsOf, ROOT, readPage, rowOf, rowsOf } from './pages.ts';

const squeeze = (text: string) => text.replaceAll(/ +/g, ' ');
const json = (path: string) => JSON.parse(readPage(path));
const namesIn = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);

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

it('docs/reference.md lists exactly the paths that the service names as missing', () => {
  expect(rowsOf('docs/reference.md', 'missing paths')).toEqual(
    Object.entries(MISSING_PATHS).map(([path, instead]) => rowOf(`\`${path}\``, instead)),
  );
});

it('docs/webhooks.md lists every type of event with the fields of its data', () => {
  expect(rowsOf('docs/webhooks.md', 'events')).toEqual(
    Object.entries(EVENT_DATA).map(([type, { when, schema }]) =>
      rowOf(
        `\`${type}\``,
        when,
        Object.keys(schema.shape)
          .map((field) => `\`${field}\``)
          .join(', '),
      ),
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

it('docs/operate/game-days.md says of each of the 19 failures where it runs, and every test that it names exists', () => {
  const rows = rowsOf('docs/operate/game-days.md', 'game-days').map(cellsOf);
  expect(rows.map(([number]) => Number(number))).toEqual(Array.from({ length: 19 }, (_, index) => index + 1));
  for (const [number, , , here = '', account = ''] of rows) {
    const tests = [...here.matchAll(/\]\(([^)]+)\)/g)].map(([, path = '']) => path);
    for (const path of tests) {
      expect(path).toMatch(/\.test\.ts$/);
      expect([path, existsSync(join(ROOT, 'docs', 'operate', path))]).toEqual([path, true]);
    }
    expect([number, tests.length > 0 || account.includes('](')]).toEqual([number, true]);
  }
});

it('docs/dependencies.md gives the reason for every runtime dependency, and for no other', () => {
  const { dependencies } = json('package.json') as { dependencies: object };
  const rows = readPage('docs/dependencies.md').match(/^\| `.*$/gm) ?? [];
  const listed = rows.flatMap((row) => namesIn(cellsOf(row)[0] ?? ''));
  expect(listed.sort()).toEqual(Object.keys(dependencies).sort());
});

describe('the measured values of the documentation', () => {
  it.each(pagesWithFigures())(
    '%s shows the newest results, as `npm run figures` writes them',
    (page, text) => {
      expect(readPage(page)).toBe(text);
    },
  );

  it('come from results of the current code: a change runs the benches that it makes stale', async () => {
    expect(await staleResults()).toEqual([]);
  });
});

interface Rates {
  readonly input?: number;
  readonly image?: number;
  readonly minute?: number;
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
  const unitPrice = ({ input, image, minute }: Rates) =>
    image !== undefined ? `${image} an image` : minute !== undefined ? `${minute} a minute` : input;
  const cells = ({ output, cached_input: cached, cache_writes: writes, ...rates }: Rates) =>
    [unitPrice(rates), output, cached, writes?.['5m'], writes?.['1h']].map((amount) => `${amount ?? ''}`);
  expect(rows).toEqual(
    models.flatMap(({ id, price }) => [
      [id, ...cells(price)],
      ...(price.tiers ?? []).map((tier) => [tier.above, ...cells(tier)]),
    ]),
  );
  expect(rows.length).toBeGreaterThan(10);
});

/** The pages of decisions below `docs/decisions`, with those of the archive. */
const DECISIONS = readdirSync(join(ROOT, 'docs', 'decisions'), { recursive: true, encoding: 'utf8' })
  .map((name) => name.replaceAll('\\', '/'))
  .filter((name) => name.endsWith('.md') && name !== 'README.md');

const statusOf = (page: string): string => readPage(`docs/decisions/${page}`).split('\n')[4] ?? '';

it('every decision has a date, a status, and the decision that supersedes it', () => {
  expect(DECISIONS.length).toBeGreaterThan(20);
  for (const page of DECISIONS) {
    const name = posix.basename(page);
    const [, , date] = readPage(`docs/decisions/${page}`).split('\n');
    expect([name, date]).toEqual([name, name.slice(0, 10)]);
    const status = statusOf(page);
    expect([page, status]).toEqual([
      page,
      expect.stringMatching(
        page.startsWith('archive/')
          ? /^\*\*Status\.\*\* Superseded by \[.+\]\((.+)\)/
          : /^\*\*Status\.\*\* Accepted/,
      ),
    ]);
    for (const [, successor = ''] of status.matchAll(/\(([^()#]+\.md)(?:#[^)]*)?\)/g))
      expect(DECISIONS).toContain(posix.join(posix.dirname(page), successor));
  }
});

it('the index of decisions has each page once, with its title, date and status', () => {
  const rows = readPage('docs/decisions/README.md').match(/^\| \[.*$/gm) ?? [];
  const expected = DECISIONS.map((page) => {
    const [title = '', , date] = readPage(`docs/decisions/${page}`).split('\n');
    const status = /Accepted|Superseded/.exec(statusOf(page));
    return `| [${title.slice(2)}](${page}) | ${date} | ${status} |`;
  });
  expect([...rows].sort()).toEqual(expected.sort());
});
