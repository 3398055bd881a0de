/** The operator's commands on a local service: docs/local.md lists those that work there, and what the others print. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import { COMMANDS } from '../../operator/commands/commands.ts';
import { until } from '../../tools/test-kit/waiting.ts';
import { ROOT } from './example-run.ts';
import { oneService } from './one-service.ts';
import { Owner } from './owner.ts';

const service = oneService({ MATURITY_SECONDS: '3600' });

/** Returns the rows of a table of docs/local.md, each as the texts in code marks. */
function rowsOf(name: string): readonly (readonly string[])[] {
  const page = readFileSync(join(ROOT, 'docs/local.md'), 'utf8');
  const [, table = ''] = page.split(new RegExp(`<!-- /?${name} -->`));
  return table.split('\n').flatMap((line) => {
    const texts = [...line.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text);
    return texts.length === 0 || line.includes('Without `--stage`') ? [] : [texts];
  });
}

const LOCAL = rowsOf('local commands').flat();
const OF_A_STAGE = rowsOf('commands of a stage').map(([name = '', text = '']) => ({ name, text }));

/** Runs the command as a person does; returns what it prints. */
async function printed(words: readonly string[], input = ''): Promise<string> {
  const child = spawn(process.execPath, ['operator/admin.ts', ...words], {
    cwd: ROOT,
    env: { ...process.env, LOCAL_DIR: service.directory },
  });
  const closed = once(child, 'close');
  child.stdin.end(input);
  const texts = await Promise.all([text(child.stdout), text(child.stderr)]);
  await closed;
  return texts.join('');
}

const file = (name: string, content: object): string => {
  const path = join(service.directory, name);
  writeFileSync(path, JSON.stringify(content));
  return path;
};

it('docs/local.md lists every command once', () => {
  expect([...LOCAL, ...OF_A_STAGE.map(({ name }) => name)].sort()).toEqual(Object.keys(COMMANDS).sort());
});

describe('a command that docs/local.md lists for the local service', () => {
  it('works there: all of them, with what they need', async () => {
    const [seller, buyer] = [await Owner.open(service), await Owner.open(service)];
    const { key, id: keyId } = await buyer.createKey({ name: 'one' });
    const spare = await buyer.createKey({ name: 'spare' });
    await buyer.buy(10);
    await seller.sellTo(buyer, 500);
    const { data: sales } = await seller.json<{ data: readonly { charge: string; listing_id: string }[] }>(
      '/api/v1/earnings/transactions',
    );
    const { charge = '' } = sales[0] ?? {};
    const fields = { name: 'Built', summary: 'One.', category: 'tools' };
    const { id: listing } = (await (await seller.send('POST', '/apps', fields)).json()) as { id: string };
    const content = Buffer.from('x');
    const sha256 = createHash('sha256').update(content).digest('hex');
    const created = await seller.send('POST', `/apps/${listing}/builds`, {
      filename: 'a.zip',
      size: content.length,
      sha256,
    });
    const { id: build, upload } = (await created.json()) as {
      id: string;
      upload: { url: string; headers: Record<string, string> };
    };
    await fetch(upload.url, { method: 'PUT', headers: upload.headers, body: content });
    await until(
      () => seller.json(`/apps/${listing}/builds/${build}`),
      ({ status }) => status !== 'pending' && status !== 'scanning',
    );
    const shown = await service.admin<{ version: string; document: { models: readonly object[] } }>(
      'catalog',
      'show',
    );
    const catalog = file('catalog.json', shown);
    const list = file('models-dev.json', {
      openai: {
        id: 'openai',
        models: {
          m: { id: 'm', name: 'M', limit: { context: 9, output: 9 }, cost: { input: 1, output: 2 } },
        },
      },
    });
    const [account, sellerOf, ofKey] = [
      ['--account', buyer.id],
      ['--account', seller.id],
      ['--key', keyId],
    ] as const;
    const builds = ['--listing', listing, '--build', build];
    const needed: Readonly<Record<string, readonly string[]>> = {
      'account find': ofKey,
      'key create': account,
      'key policy': [...ofKey, '--policy', '{"rpm":60}'],
      'key revoke': ['--key', spare.id],
      'key list': account,
      'credit grant': [...account, '--amount', '1'],
      'credit take': [...account, '--amount', '0.5', '--reason', 'A test.'],
      'credit list': account,
      'wallet show': account,
      'telemetry set': ['--url', 'https://example.com/otlp'],
      'operators add': [buyer.id],
      'operators remove': [buyer.id],
      bill: [...account, '--from', '2026-01-01', '--through', '2999-01-01'],
      'sale return': ['--charge', charge, '--reason', 'A test.'],
      'seller show': sellerOf,
      'seller pause': sellerOf,
      'seller resume': sellerOf,
      'seller maturity': [...sellerOf, '--days', '9'],
      'catalog apply': ['--version', shown.version],
      'catalog add': [catalog],
      'catalog diff': [catalog],
      'catalog import':
        `--from models.dev=${list} --providers openai --markup 0% --unconfirmed --out ${list}.out`.split(' '),
      'catalog watch': ['--none'],
      'build show': builds,
      'build rescan': builds,
      'event publish': ['--type', 'listing.installed', ...account, '--data', '{}'],
    };
    for (const name of LOCAL) {
      if (name === 'key find') continue;
      const args = needed[name] ?? [];
      await expect(service.admin(...name.split(' '), ...args).then(() => name)).resolves.toBe(name);
    }
    expect(await printed(['key', 'find'], key)).toMatch(new RegExp(`^account_id +${buyer.id}$`, 'm'));
  });

  it('checks the models of the simulated vendors with the key of the service', async () => {
    const { counts, routes } = await service.admin<{
      counts: { alive: number };
      routes: readonly { reason: string }[];
    }>('catalog', 'check');
    expect(counts.alive).toBeGreaterThan(20);
    expect(routes.filter(({ reason }) => reason.includes('env:SIM_KEY'))).toEqual([]);
  });
});

describe('a command of a deployment', () => {
  const NEEDED: Readonly<Record<string, readonly string[]>> = {
    policy: ['--for', 'up'],
    restore: ['--at', '2026-11-29T00:00:00Z'],
    'call find': ['--id', 'req_1'],
  };

  it.each(OF_A_STAGE)('says so on a local service: $name', async ({ name, text: says }) => {
    expect(await printed([...name.split(' '), ...(NEEDED[name] ?? [])])).toContain(says);
  });
});
