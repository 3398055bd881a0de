import { execFile, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from '@jest/globals';
import { until } from '../../tools/test-kit/waiting.ts';
import { Service } from './service.ts';

const root = join(import.meta.dirname, '..', '..');
const service = new Service({ DEMO_HISTORY_DAYS: '3' });
afterAll(() => service.dispose());

/** A start that must fail: its exit code and what it says. */
function failedStart(environment: Record<string, string>): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['tools/local/start.ts'], {
    cwd: root,
    env: { ...process.env, PORT: '0', LOCAL_DIR: join(service.directory, 'other'), ...environment },
    encoding: 'utf8',
    timeout: 60_000,
  });
  return { status, output: stdout + stderr };
}

describe('the local service', () => {
  let key = '';
  let balance = 0;
  const calls: string[] = [];
  /** A call that is answered anew once, and then from what was kept. */
  const repeat = async () => {
    const messages = [{ role: 'user', content: 'Repeat exactly: across' }];
    const response = await service.chat(
      { model: 'sim/chat', messages },
      { headers: { 'idempotency-key': 'k' } },
    );
    calls.push(await response.text());
    return response.headers.get('idempotent-replayed');
  };
  /** Makes the call that the last start printed. */
  const runPrintedCall = async () => {
    const printed = `export KEY=${service.session.api_key}\ncurl -N ${service.session.base_url}`;
    const output = await until(
      () => service.output,
      (text) => text.includes(printed),
    );
    const [command = ''] = output.slice(output.lastIndexOf(printed)).split('\n\n');
    return (await promisify(execFile)('bash', ['-c', command])).stdout;
  };
  const read = async () =>
    (await (await service.fetch(`/credits/${service.session.api_key}`)).json()) as { balance: number };

  /** The demo account's statement of today and of so many days before. */
  const statementOf = async (days: number) => {
    const start = Math.floor(Date.now() / 1000) - days * 86_400;
    const response = await service.fetch(`/api/v1/credits?start=${start}`, {
      key: service.session.session_token,
    });
    const { statement } = (await response.json()) as { readonly statement: Readonly<Record<string, number>> };
    return statement;
  };

  it('starts with a demo account of 10 credits and prints a curl that works', async () => {
    const session = await service.start();
    key = session.api_key;
    expect(await read()).toMatchObject({ balance: 10, currency: 'USD' });
    expect(await statementOf(1)).toMatchObject({ grants: 10, closing: 10 });
    for (const days of [0, 1, 2, 3, 4, 5, 6]) {
      const { opening } = await statementOf(days);
      expect(opening).toBeGreaterThanOrEqual(0);
    }
    const stdout = await runPrintedCall();
    expect(stdout).toContain('"object":"chat.completion.chunk"');
    expect(stdout.trimEnd().endsWith('data: [DONE]')).toBe(true);
    ({ balance } = await read());
    expect(balance).toBeLessThan(10);
  });

  it('prints one line for each call: streamed, rejected and failed ones, too', async () => {
    const rejected = await service.chat({ model: 'sim/chatt', messages: [{ role: 'user', content: 'hi' }] });
    const { error } = (await rejected.json()) as { readonly error: { readonly message: string } };
    const unknown = await service.fetch('/v1/chat/completions', {
      key: 'uis_no',
      method: 'POST',
      body: '{}',
    });
    const ids = [rejected, unknown].map(({ headers }) => headers.get('x-request-id'));
    const lineOf = (pattern: string) => new RegExp(`^.* INFO .* answered .*${pattern}.*$`, 'm');
    const isLogged = (output: string) => ids.every((id) => output.includes(`answered requestId=${id}`));
    await until(() => service.output, isLogged);
    expect(service.output).toMatch(
      lineOf('status=200 outcome=completed kind=chat model=sim/chat route=sim-chat usd=0\\.\\d+ ms='),
    );
    expect(error.message).toContain('Did you mean "sim/chat"?');
    expect(service.output).toMatch(lineOf(`${ids[0]} .*status=400 code=model_not_found ms=`));
    expect(service.output).toMatch(lineOf(`${ids[1]} .*status=401 code=invalid_api_key ms=`));
  });

  it('responds to the request of the README as the README states', async () => {
    const readme = readFileSync(join(root, 'README.md'), 'utf8');
    const block = /```console\n\$ (curl[\s\S]*?)```/.exec(readme)?.[1] ?? '';
    const command = block
      .slice(0, block.indexOf('\ndata: '))
      .replace('http://127.0.0.1:8787', service.session.base_url);
    const { stdout } = await promisify(execFile)('bash', ['-c', command], {
      env: { ...process.env, KEY: key },
    });
    const dataLines = stdout.split('\n').filter((line) => line.startsWith('data: {'));
    const shown = block.split('\n').filter((line) => line.startsWith('data: {'));
    expect(dataLines).toHaveLength(shown.length);
    shown.forEach((line, index) => {
      const { id: _id, ...wanted } = JSON.parse(line.slice(6)) as Record<string, unknown>;
      expect(JSON.parse(dataLines[index]?.slice(6) ?? '')).toMatchObject(wanted);
    });
    expect(stdout.trimEnd().endsWith('data: [DONE]')).toBe(true);
    expect(await repeat()).toBeNull();
    ({ balance } = await read());
  });

  it('rejects a second start on the same folder and a reset while it runs', async () => {
    expect(failedStart({ LOCAL_DIR: service.directory })).toMatchObject({
      status: 1,
      output: expect.stringMatching(/runs|running|in use/i),
    });
    const reset = spawnSync(process.execPath, ['tools/local/reset.ts'], {
      cwd: root,
      env: { ...process.env, LOCAL_DIR: service.directory },
      encoding: 'utf8',
    });
    expect(reset.status).toBe(1);
    expect((await service.fetch('/health', { key: null })).status).toBe(200);
  });

  it('stops cleanly, and after a restart has the same key, balance and stored responses, without a new build', async () => {
    expect(await service.stop()).toBe(0);
    service.output = '';
    expect((await service.start()).api_key).toBe(key);
    expect(await read()).toMatchObject({ balance });
    expect(service.output).not.toContain('Building');
    expect(await repeat()).toBe('true');
    expect(new Set(calls).size).toBe(1);
  });

  it('prints a call of the catalog in force, the secrets that it lacks, and the way back to the simulated models', async () => {
    const file = join(service.directory, 'own.json');
    const modelWith = (id: string, secret: string) => ({
      id,
      type: 'chat',
      owned_by: 'acme',
      created: 1,
      price: { unit: 'per_million_tokens', input: 1, output: 2 },
      routes: [{ id, protocol: 'openai', base_url: '{UPSTREAM_URL}/v1', upstream_model: 'chat', secret }],
    });
    const models = [modelWith('large', 'env:ACME_KEY'), modelWith('small', 'env:SIM_KEY')];
    writeFileSync(file, JSON.stringify({ models, defaults: { chat: 'small' } }));
    await service.stop();
    await service.start({ CATALOG: file });
    expect(await runPrintedCall()).toContain('"model":"small"');
    expect(service.output).toContain('Not set: ACME_KEY, a secret of the catalog.');
    expect(service.output).toContain('CATALOG=simulated npm start goes back to the simulated models.');
    await service.stop();
    expect(service.output).toContain(`Stopped. The state is in ${service.directory}.`);
    service.output = '';
    await service.start({ CATALOG: 'simulated' });
    expect(await runPrintedCall()).toContain('"model":"sim/chat"');
    expect(service.output).not.toMatch(/Not set|Its catalog/);
    ({ balance } = await read());
  });

  it('retains all written data if every process is killed', async () => {
    await service.stop('SIGKILL');
    expect((await service.start({ IP_RPM: '5' })).api_key).toBe(key);
    expect(await read()).toMatchObject({ balance });
  });

  it('limits the requests of one address, with Retry-After', async () => {
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => service.fetch('/health', { key: null })),
    );
    const rejectedResponses = responses.filter(({ status }) => status === 429);
    // Two minutes may have had a part in it.
    expect(rejectedResponses.length).toBeGreaterThanOrEqual(10);
    expect(rejectedResponses[0]?.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(await rejectedResponses[0]?.json()).toMatchObject({
      error: { type: 'rate_limit_error', code: 'ip_requests_per_minute' },
    });
    await service.stop();
  });
});

describe('a start that cannot be', () => {
  it('names a port that is taken', async () => {
    const blocker = createServer();
    const port = await new Promise<number>((resolve) => {
      blocker.listen(0, '127.0.0.1', () => resolve((blocker.address() as { port: number }).port));
    });
    const { status, output } = failedStart({ PORT: String(port) });
    blocker.close();
    expect(status).toBe(1);
    expect(output).toContain(`port ${port} is taken`);
  });

  it('names a catalog that is not there, and every wrong field of one that is not valid', () => {
    expect(failedStart({ CATALOG: '/no/such/catalog.json' })).toMatchObject({
      status: 1,
      output: expect.stringMatching(/no\/such\/catalog\.json/),
    });
    const file = join(service.directory, 'bad.json');
    const route = { id: 'r', protocol: 'openai', base_url: 'ftp://x', upstream_model: 'm' };
    const price = { unit: 'per_million_tokens', input: -1, output: 2 };
    const model = { id: 'm', type: 'chat', owned_by: 'o', created: 1, price, routes: [route] };
    writeFileSync(file, JSON.stringify({ models: [model], defaults: { chat: 'other' } }));
    const { status, output } = failedStart({ CATALOG: file });
    expect(status).toBe(1);
    expect(output).toContain('models[0].price.input');
    expect(output).toContain('models[0].routes[0].base_url');
    writeFileSync(file, '{"models": }');
    expect(failedStart({ CATALOG: file }).output).toContain(`CATALOG: ${file} is not JSON`);
  });

  it('names a state folder that cannot be made', () => {
    const file = join(service.directory, 'a-file');
    writeFileSync(file, '');
    expect(failedStart({ LOCAL_DIR: join(file, 'state') })).toMatchObject({
      status: 1,
      output: expect.stringContaining('set LOCAL_DIR to one that can be written'),
    });
  });
});
