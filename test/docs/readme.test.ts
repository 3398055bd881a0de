import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ROUTES } from '../../lambdas/app/routes.ts';
import { QUOTAS } from '../../lambdas/platform/core/api/quotas.ts';
import { ERROR_CODES } from '../../lambdas/platform/core/errors.ts';
import { COMMANDS } from '../../operator/commands.ts';
import { newestPeers, peersSection } from '../../tools/bench/peers/comparison.ts';

const root = join(import.meta.dirname, '..', '..');
/** A table's cells may be padded. */
const squeeze = (text: string) => text.replaceAll(/ +/g, ' ');
const page = (path: string) => squeeze(readFileSync(join(root, path), 'utf8'));
const readme = page('README.md');
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>;
  dependencies: Record<string, string>;
};

/** The text in the table's last column, by the authentication of a route. */
const KEY_COLUMN = {
  none: 'no',
  'api-key': 'yes',
  session: 'session',
  'api-key-or-session': 'yes or session',
  operator: 'operator',
} as const;

describe('the README', () => {
  it('fits a few screens', () => {
    expect(readme.split('\n').length).toBeLessThan(200);
  });

  it('names only npm scripts that exist', () => {
    const named = [...readme.matchAll(/npm run ([a-z:]+)/g)].map(([, script = '']) => script);
    expect(named.length).toBeGreaterThan(3);
    for (const script of named) expect(Object.keys(manifest.scripts)).toContain(script);
  });

  it('explains every runtime dependency', () => {
    for (const name of Object.keys(manifest.dependencies)) expect(readme).toContain(`\`${name}\``);
  });

  it('links only to files that exist', () => {
    const links = [...readme.matchAll(/\]\(([^)#:]+)\)/g)].map(([, path = '']) => path);
    expect(links.length).toBeGreaterThan(5);
    expect(links.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });
});

it('docs/reference.md lists exactly the routes of the route table', () => {
  const table = page('docs/reference.md').split('<!-- routes -->')[1]?.split('<!-- /routes -->')[0] ?? '';
  const rows = table.trim().split('\n').slice(2);
  const expected = ROUTES.map(
    ({ method, path, purpose, authentication }) =>
      `| ${method} | \`${path.replace('+}', '}')}\` | ${purpose} | ${KEY_COLUMN[authentication]} |`,
  );
  expect(rows).toEqual(expected);
});

it('docs/benchmarks.md shows the newest comparison with others', () => {
  const report = newestPeers(join(root, 'tools', 'bench', 'results'));
  if (report === undefined) throw new Error('there are no results');
  expect(page('docs/benchmarks.md')).toContain(squeeze(peersSection(report)));
});

it('docs/operate.md names every operator command', () => {
  for (const command of Object.keys(COMMANDS)) expect(page('docs/operate.md')).toContain(`\`${command}`);
});

it('every decision has a date, a status, and the decision that supersedes it', () => {
  const folder = join(root, 'docs', 'decisions');
  const names = readdirSync(folder);
  expect(names.length).toBeGreaterThan(20);
  for (const name of names) {
    const [, , date, , status = ''] = readFileSync(join(folder, name), 'utf8').split('\n');
    expect([name, date]).toEqual([name, name.slice(0, 10)]);
    expect([name, status]).toEqual([
      name,
      expect.stringMatching(/^\*\*Status\.\*\* (Accepted|Superseded by \[.+\]\((.+)\))/),
    ]);
    for (const [, successor] of status.matchAll(/\(([^()]+\.md)\)/g)) expect(names).toContain(successor);
  }
});

it('docs/errors.md has every error code with its status and type', () => {
  const errors = page('docs/errors.md');
  for (const [code, { status, type }] of Object.entries(ERROR_CODES)) {
    const row = errors.split('\n').find((line) => line.includes(`\`${code}\``)) ?? '';
    expect(row).toContain(`| ${status} | \`${type}\``);
  }
});

it('docs/errors.md has every quota with its number', () => {
  const errors = page('docs/errors.md');
  const table = errors.split('<!-- quotas -->')[1]?.split('<!-- /quotas -->')[0] ?? '';
  const rows = table.trim().split('\n').slice(2);
  expect(rows).toEqual(Object.entries(QUOTAS).map(([name, quota]) => `| \`${name}\` | ${quota} |`));
});
