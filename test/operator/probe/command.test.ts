import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Operator } from '../../../operator/operator.ts';
import { PROBE_COMMAND } from '../../../operator/probe/command.ts';
import { startUpstream, type Upstream } from '../../../simulators/models/server.ts';

let upstream: Upstream;
let folder: string;
const shown: string[] = [];
const read: string[] = [];

beforeAll(async () => {
  upstream = await startUpstream({ chunkDelayMs: 0 });
  folder = mkdtempSync(join(tmpdir(), 'probe-'));
  process.env.HOST_KEY = KEY;
});
beforeEach(() => {
  shown.length = 0;
  read.length = 0;
  jest.spyOn(console, 'error').mockImplementation((line: unknown) => void shown.push(String(line)));
});
afterEach(async () => {
  jest.restoreAllMocks();
  await fetch(`${upstream.controlUrl}/requests`, { method: 'DELETE' });
});
afterAll(async () => {
  delete process.env.HOST_KEY;
  rmSync(folder, { recursive: true });
  await upstream.close();
});

const KEY = 'sk-of-the-route';

const route = (id: string, quirks: string, over: object = {}) => ({
  ...{ id, protocol: 'openai', upstream_model: 'chat', secret: 'env:HOST_KEY' },
  base_url: `${upstream.url}/hosts/${quirks}/v1`,
  ...over,
});
const catalog = (routes: readonly object[]) => ({
  models: [
    {
      ...{ id: 'm/chat', type: 'chat', owned_by: 'm', created: 0, routes },
      price: { unit: 'per_million_tokens', input: 1, output: 10, reasoning_output: 20 },
    },
  ],
});

interface Output {
  readonly at_most: { readonly calls: number; readonly cost: unknown };
  readonly used_at_most: { readonly cost: unknown };
  readonly next?: string;
  readonly found: object;
  readonly dialect: object;
  readonly differences: readonly object[];
}

async function run(args: readonly string[], document: object = catalog([route('a', 'no-store')])) {
  const operator = {
    catalog: async () => ({ version: 'v', json: JSON.stringify(document) }),
    routes: {
      readSecret: async (reference: string) => {
        read.push(reference);
        return KEY;
      },
      sign: async () => ({ authorization: 'signed' }),
    },
  } as unknown as Operator;
  const outcome = await (PROBE_COMMAND.alone?.(args) ?? PROBE_COMMAND.run(operator, args));
  return { exitCode: outcome.exitCode, output: outcome.output as unknown as Output };
}

const write = (name: string, document: object): string => {
  const path = join(folder, name);
  writeFileSync(path, JSON.stringify(document));
  return path;
};

const requests = async () => {
  const response = await fetch(`${upstream.controlUrl}/requests`);
  return ((await response.json()) as { requests: { headers: Record<string, string> }[] }).requests;
};

const text = (value: unknown) => JSON.stringify(value);

describe('route probe', () => {
  it('says what it costs at most and calls nobody, without --yes and with --dry-run', async () => {
    const asked = await run(['a']);
    expect(asked.exitCode).toBe(2);
    expect(asked.output.next).toContain('--yes');
    const dry = await run(['a', '--dry-run']);
    expect(dry.exitCode).toBe(0);
    expect(dry.output.next).toBeUndefined();
    for (const { output } of [asked, dry]) {
      expect(output.at_most.calls).toBe(28);
      // Input at 1 and output at 20 USD a million: the dearest that an answer can be.
      expect(text(output.at_most.cost)).toBe('0.202768');
    }
    expect([await requests(), read]).toEqual([[], []]);
  });

  it('with --yes shows the cost first, and prints what it found and how the catalog differs', async () => {
    const { exitCode, output } = await run(['a', '--yes']);
    expect(shown).toEqual([expect.stringContaining('0.202768')]);
    expect(output.found).toEqual({ store: false });
    expect(output.dialect).toEqual({ store: false });
    expect(output.differences).toEqual([{ flag: 'store', found: false, catalog: null }]);
    expect(exitCode).toBe(1);
    expect(Number(text(output.used_at_most.cost))).toBeLessThan(0.1);
    const sent = await requests();
    expect(new Set(sent.map(({ headers }) => headers.authorization))).toEqual(new Set([`Bearer ${KEY}`]));
    expect(new Set(read)).toEqual(new Set(['env:HOST_KEY']));
    expect(text(output)).not.toContain(KEY);
  });

  it('succeeds where the catalog says the same, and pays by the cost of the route', async () => {
    const cost = { unit: 'per_million_tokens', input: '0.5', output: 5 };
    const same = catalog([route('a', 'none'), route('b', 'no-store', { dialect: { store: false }, cost })]);
    const { exitCode, output } = await run(['b', '--yes'], same);
    expect([exitCode, output.differences, text(output.at_most.cost)]).toEqual([0, [], '0.056384']);
  });

  it('takes a route of a file, and one of a catalog in a file', async () => {
    const alone = await run([write('route.json', route('x', 'no-store')), '--yes']);
    expect([alone.output.found, alone.output.at_most.cost]).toEqual([{ store: false }, null]);
    const file = write('catalog.json', catalog([route('a', 'none'), route('b', 'no-store')]));
    expect((await run([file, '--route', 'b', '--yes'])).output.found).toEqual({ store: false });
    await expect(run([file, '--yes'])).rejects.toThrow('the catalog has 2 routes: name one by --route');
    const one = write('one.json', catalog([route('only', 'none')]));
    expect((await run([one, '--dry-run'])).output).toMatchObject({ route: 'only' });
  });

  it('needs no service for a file', async () => {
    const file = write('alone.json', route('x', 'no-store'));
    const outcome = await PROBE_COMMAND.alone?.([file, '--yes']);
    expect(outcome?.output.found).toEqual({ store: false });
    const missing = write('unset.json', route('x', 'none', { secret: 'env:NO_SUCH_KEY' }));
    await expect(PROBE_COMMAND.alone?.([missing, '--yes'])).rejects.toThrow('NO_SUCH_KEY');
    const { alone } = PROBE_COMMAND;
    expect(typeof alone).toBe('function');
    expect([alone?.(['a', '--yes'])]).toEqual([undefined]);
  });

  it.each([
    [[], 'name one route, or one file'],
    [['a', 'b'], 'name one route, or one file'],
    [['a', '--route', 'b'], '--route names a route of a catalog file'],
    [['a', '--yes', '--dry-run'], '--dry-run makes no calls'],
    [['nowhere'], 'the catalog has no route nowhere'],
    [['missing.json'], 'missing.json cannot be read as JSON'],
    [['converse', '--dry-run'], 'routes of the protocol bedrock are not probed'],
  ])('refuses %j', async (args, message) => {
    const document = catalog([
      route('a', 'none'),
      { id: 'converse', protocol: 'bedrock', upstream_model: 'amazon.nova-lite-v1:0' },
    ]);
    await expect(run(args, document)).rejects.toThrow(message);
  });

  it('names the field of a route that is wrong', async () => {
    await expect(run([write('bad.json', { ...route('x', 'none'), protocol: 'fax' })])).rejects.toThrow(
      /bad\.json is not a route:[\s\S]*protocol/,
    );
  });
});
