import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parseConfig, SETTINGS } from '../../lib/config/config.ts';
import { COMMANDS } from '../../operator/commands.ts';

const root = join(import.meta.dirname, '..', '..');
const page = readFileSync(join(root, 'docs', 'operate.md'), 'utf8');
const runbook = readFileSync(join(root, 'lib', 'observability', 'runbook.md'), 'utf8');
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>;
};

/** GitHub's anchors of a page's headings. */
const anchorsOf = (text: string): readonly string[] =>
  [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^a-z0-9 -]/g, '')
      .replaceAll(' ', '-'),
  );

describe.each([
  ['docs/operate.md', page],
  ['lib/observability/runbook.md', runbook],
])('the operator’s page %s', (path, text) => {
  it('names only npm scripts that exist', () => {
    const named = [...text.matchAll(/npm run ([a-z:]+)/g)].map(([, script = '']) => script);
    expect(named.length).toBeGreaterThan(0);
    for (const script of named) expect(Object.keys(scripts)).toContain(script);
  });

  it('names only commands that exist, with options that they take', () => {
    const named = [...text.matchAll(/npm run admin -- ([a-z][^`\n]*)/g)].map(([, command = '']) => command);
    expect(named.length).toBeGreaterThan(0);
    for (const command of named) {
      const words = command.split(' ');
      const documentedCommand = COMMANDS[words.slice(0, 2).join(' ')] ?? COMMANDS[words[0] ?? ''];
      expect([command, documentedCommand === undefined]).toEqual([command, false]);
      for (const [option] of command.matchAll(/--(?!stage|json)[a-z]+/g))
        expect([command, documentedCommand?.usage]).toEqual([command, expect.stringContaining(option)]);
    }
  });

  it('links only to files and headings that exist', () => {
    const links = [...text.matchAll(/\]\((?!https:)([^)#]*)#?([^)]*)\)/g)];
    expect(links.length).toBeGreaterThan(0);
    for (const [, target = '', anchor] of links) {
      const file = target === '' ? join(root, path) : join(root, dirname(path), target);
      expect([file, existsSync(file)]).toEqual([file, true]);
      if (anchor) expect(anchorsOf(readFileSync(file, 'utf8'))).toContain(anchor);
    }
  });
});

describe('the table of settings', () => {
  const section = page.slice(page.indexOf('## Configure'), page.indexOf('## Sign-in'));
  const rows = [...section.matchAll(/^\| `(\w+)` \| `?([^`|]+)`? \|/gm)].map(
    ([, name = '', usual = '']) => [name, usual.trim()] as const,
  );

  it('lists every setting and no other', () => {
    expect(rows.map(([name]) => name).sort()).toEqual([...SETTINGS].sort());
  });

  it('states each default', () => {
    const defaults = parseConfig({}) as Record<string, unknown>;
    const written = (value: unknown) => (JSON.stringify(value) === '{}' ? 'none' : String(value));
    const stated = rows.filter(([name]) => defaults[name] !== undefined);
    expect(stated.length).toBeGreaterThan(5);
    for (const [name, usual] of stated) expect([name, usual]).toEqual([name, written(defaults[name])]);
  });
});

describe('the table of the catalog of Bedrock', () => {
  const section = page.slice(page.indexOf('## The catalog of Bedrock'), page.indexOf('**Where the prices'));
  const rows = [...section.matchAll(/^\| (?:`([^`]+)`|the same, above ([0-9,]+) [^|]+) \|(.*)$/gm)].map(
    ([, id, above, rest = '']) => {
      const amounts = rest.split('|').slice(0, 5);
      return [id ?? Number(above?.replaceAll(',', '')), ...amounts.map((cell) => cell.trim())];
    },
  );
  const { models } = JSON.parse(readFileSync(join(root, 'catalogs', 'bedrock.json'), 'utf8')) as {
    models: { id: string; price: Rates & { tiers?: (Rates & { above: number })[] } }[];
  };
  const cells = ({ input, image, output, cached_input: cached, cache_writes: writes }: Rates) =>
    [image === undefined ? input : `${image} an image`, output, cached, writes?.['5m'], writes?.['1h']].map(
      (amount) => `${amount ?? ''}`,
    );

  it('lists every shipped model with its prices and tiers, and no other', () => {
    expect(rows).toEqual(
      models.flatMap(({ id, price }) => [
        [id, ...cells(price)],
        ...(price.tiers ?? []).map((tier) => [tier.above, ...cells(tier)]),
      ]),
    );
    expect(rows.length).toBeGreaterThan(10);
  });
});

interface Rates {
  readonly input?: number;
  readonly image?: number;
  readonly output?: number;
  readonly cached_input?: number;
  readonly cache_writes?: Readonly<Record<string, number>>;
}
