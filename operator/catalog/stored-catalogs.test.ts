import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PutItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createUsageStore } from '../../lambdas/ledger/store/usage-store.ts';
import { SECRET_VARIABLES, VARIABLES } from '../../lambdas/platform/contract/environment.ts';
import { wireServer } from '../../lambdas/platform/testing/connections/wire-server.ts';
import { openAccount } from '../../tools/bench/harness/service/account.ts';
import { callChat, composeChat, readText } from '../../tools/bench/harness/service/chat.ts';
import { startDatabase, type TestDatabase } from '../../tools/test-kit/engine.ts';
import { COMMANDS } from '../commands/commands.ts';
import { createOperator, type Operator } from '../operator.ts';
import { localTarget } from '../target.ts';

const SILENT = { info: () => {}, warn: () => {}, error: () => {} };
/** No command here reads a secret. */
const SECRETS = Object.fromEntries(SECRET_VARIABLES.map((variable) => [variable, 'unread']));

const operatorOf = ({ endpoint, environment }: TestDatabase): Operator =>
  createOperator(localTarget(endpoint, { ...SECRETS, ...environment }), SILENT);

const folder = mkdtempSync(join(tmpdir(), 'stored-catalogs-'));

let database: TestDatabase;
let operator: Operator;
const upstream = wireServer();

/** The usage that the route reports for each call: 30 of 100 prompt tokens from its cache, 5 of 20 for reasoning. */
const USAGE = {
  prompt_tokens: 100,
  completion_tokens: 20,
  total_tokens: 120,
  prompt_tokens_details: { cached_tokens: 30 },
  completion_tokens_details: { reasoning_tokens: 5 },
};

beforeAll(async () => {
  database = await startDatabase();
  operator = operatorOf(database);
  upstream.respond = (response) => {
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify({
        id: 'c',
        object: 'chat.completion',
        created: 1,
        model: 'm',
        usage: USAGE,
        choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
      }),
    );
  };
});
afterAll(async () => {
  operator.close();
  await database.stop();
  rmSync(folder, { recursive: true });
});

const STANDARD = { input: 3, cached_input: 0.3, output: 15 };

/** A catalog file with one model at these prices, and others that differ in nothing. */
function fileOf(name: string, price: object, otherModels: readonly string[] = []): string {
  const model = (id: string, rates: object) => ({
    id,
    type: 'chat',
    owned_by: 'sim',
    created: 1,
    price: { unit: 'per_million_tokens', ...rates },
    routes: [
      {
        id: `${id}-route`,
        protocol: 'openai',
        base_url: `${upstream.origin}/v1`,
        upstream_model: 'm',
      },
    ],
  });
  const file = join(folder, `${name}.json`);
  const models = [model('sim/chat', price), ...otherModels.map((id) => model(id, STANDARD))];
  writeFileSync(file, JSON.stringify({ models }));
  return file;
}

async function run<T>(command: string, ...args: readonly string[]) {
  const outcome = await COMMANDS[command]?.run(operator, args);
  if (outcome === undefined) throw new Error(`there is no command ${command}`);
  return { ...outcome, output: JSON.parse(JSON.stringify(outcome.output)) as T };
}

const apply = async (file: string, ...accept: readonly string[]) => {
  const accepted = accept.flatMap((id) => ['--accept', id]);
  return (await run<{ version: string }>('catalog apply', file, '--remove', ...accepted)).output.version;
};

interface Versions {
  readonly versions: readonly { version: string; applied: string | null; current: boolean }[];
}

describe('the versions of the catalog', () => {
  it('stay available with the time of each', async () => {
    const startedAt = Date.now();
    const first = await apply(fileOf('first', STANDARD));
    const second = await apply(fileOf('second', STANDARD, ['sim/other']));
    expect(await apply(fileOf('second', STANDARD, ['sim/other']))).toBe(second);
    expect(await apply(fileOf('first', STANDARD))).toBe(first);
    const { versions } = (await run<Versions>('catalog versions')).output;
    expect(versions.map(({ version, current }) => [version, current])).toEqual([
      [first, true],
      [second, false],
      [first, false],
    ]);
    for (const { applied } of versions) expect(Date.parse(applied ?? '')).toBeGreaterThanOrEqual(startedAt);
    const shown = await run<{ models: number }>('catalog show', '--version', second);
    expect(shown.output).toMatchObject({ version: second, models: 2 });
    await expect(run('catalog show', '--version', 'nothing')).rejects.toThrow(
      'no catalog of version nothing',
    );
  });

  it('become current again under the same id, by their id or by what catalog show printed', async () => {
    const first = await apply(fileOf('first', STANDARD, ['sim/other']));
    const { output, text } = await run<object>('catalog show');
    const shown = join(folder, 'shown.json');
    writeFileSync(shown, JSON.stringify(output));
    expect(text).toMatch(
      /^version {2}\w{16}\n\nmodels\nmodel +type +routes +price \(USD\)\nsim\/chat +chat +sim\/chat-route +unit/,
    );
    for (const earlier of [['--version', first], [shown]]) {
      await apply(fileOf('second', { ...STANDARD, output: 18 }));
      const diff = await run<DiffOutput>('catalog diff', ...earlier);
      expect(diff.text).toContain(
        '\nmodel     rate    old (USD)  new (USD)  factor  large\nsim/chat  output         18         15  0.8333  false',
      );
      const gone = await run<{ version: string; added: readonly string[] }>('catalog apply', ...earlier);
      expect(gone.output).toMatchObject({ version: first, added: ['sim/other'], removed: [] });
    }
    writeFileSync(shown, JSON.stringify({ ...output, document: { models: [] } }));
    await expect(run('catalog apply', shown)).rejects.toThrow('the catalog is not valid');
    writeFileSync(shown, '{');
    await expect(run('catalog apply', shown)).rejects.toThrow('shown.json is not JSON');
    for (const wrong of [[], ['a', 'b'], ['a', '--version', first]])
      await expect(run('catalog apply', ...wrong)).rejects.toThrow('name one catalog file, or a --version');
  });

  it('list the secrets that their routes need, each once', async () => {
    const file = fileOf('with-secrets', STANDARD, ['sim/second']);
    const document = readFileSync(file, 'utf8').replaceAll(
      '"protocol":',
      '"secret":"env:ACME_KEY","protocol":',
    );
    writeFileSync(file, document);
    const { output } = await run<{ secrets: readonly string[] }>('catalog apply', file, '--remove');
    expect(output.secrets).toEqual(['env:ACME_KEY']);
  });

  it('lose models only with --remove, and the error has the calls of each', async () => {
    await apply(fileOf('with-others', STANDARD, ['sim/gone', 'sim/kept']));
    const smaller = fileOf('smaller', STANDARD, ['sim/kept', 'sim/new']);
    await expect(run('catalog apply', smaller)).rejects.toThrow(
      'the file removes sim/gone (0 calls in 30 days): add --remove to remove, or the models to the file',
    );
    expect((await run<DiffOutput>('catalog diff', smaller)).output.apply_needs).toEqual(['--remove']);
    const { output } = await run<{ removed: readonly string[] }>('catalog apply', smaller, '--remove');
    expect(output.removed).toEqual(['sim/gone']);
    await run('catalog apply', fileOf('larger', STANDARD, ['sim/kept', 'sim/new', 'sim/more']));
  });

  it('stay complete if operators apply them concurrently', async () => {
    const before = (await operator.catalogVersions()).length;
    const files = ['a', 'b', 'c', 'd'].map((id) => fileOf(`at-once-${id}`, STANDARD, [`sim/${id}`]));
    const applied = await Promise.all(files.map((file) => apply(file)));
    const after = (await operator.catalogVersions()).slice(before).map(({ version }) => version);
    expect([...after].sort()).toEqual([...applied].sort());
    expect((await operator.catalog())?.version).toBe(after.at(-1));
  });

  it('appear in the list completely after many changes', async () => {
    const many = await startDatabase();
    const operatorCatalog = operatorOf(many);
    try {
      const version = await operatorCatalog.applyCatalog(readFileSync(fileOf('many', STANDARD), 'utf8'));
      const count = 250;
      for (let index = 2; index <= count; index += 1)
        await many.client.send(
          new PutItemCommand({
            TableName: many.tables.catalog,
            Item: {
              part: { S: `applied#${String(index).padStart(8, '0')}` },
              version: { S: `v${index}` },
              parts: { N: '1' },
              applied_ms: { N: String(index) },
            },
          }),
        );
      await many.client.send(
        new UpdateItemCommand({
          TableName: many.tables.catalog,
          Key: { part: { S: 'current' } },
          UpdateExpression: 'SET applied = :count',
          ExpressionAttributeValues: { ':count': { N: String(count) } },
        }),
      );
      const versions = (await operatorCatalog.catalogVersions()).map((each) => each.version);
      expect(versions).toEqual([version, ...Array.from({ length: count - 1 }, (_, at) => `v${at + 2}`)]);
    } finally {
      operatorCatalog.close();
      await many.stop();
    }
  });
});

describe('a file that is added to the catalog', () => {
  it('brings its models, routes and secrets, and leaves everything else', async () => {
    await apply(fileOf('base', STANDARD, ['sim/other']));
    const file = fileOf('vendor', STANDARD, ['sim/new']);
    const document = readFileSync(file, 'utf8').replaceAll(
      '-route","protocol"',
      '-vendor","secret":"env:K","protocol"',
    );
    writeFileSync(file, document);
    const { output } = await run<{ version: string }>('catalog add', file);
    expect(output).toMatchObject({
      models: 3,
      added: ['sim/new'],
      removed: [],
      rates: [],
      secrets: ['env:K'],
    });
    const { models } = JSON.parse((await operator.catalog())?.json ?? '') as { models: readonly Written[] };
    expect(models.map(({ id, routes }) => [id, routes.map((route) => route.id)])).toEqual([
      ['sim/chat', ['sim/chat-route', 'sim/chat-vendor']],
      ['sim/other', ['sim/other-route']],
      ['sim/new', ['sim/new-vendor']],
    ]);
    expect((await run<{ version: string }>('catalog add', file)).output.version).toBe(output.version);
  });

  it('names each conflict and changes nothing, until its model is to replace the other', async () => {
    await apply(fileOf('base', STANDARD));
    const file = fileOf('vendor', { ...STANDARD, output: 30 });
    writeFileSync(file, readFileSync(file, 'utf8').replace('"upstream_model":"m"', '"upstream_model":"n"'));
    await expect(run('catalog add', file)).rejects.toThrow(
      'differ in sim/chat: price, sim/chat: route sim/chat-route: make them the same',
    );
    await expect(run('catalog add', file, '--replace', 'sim/none')).rejects.toThrow('no model sim/none');
    const replacing = ['catalog add', file, '--replace', 'sim/chat'] as const;
    await expect(run(...replacing)).rejects.toThrow('prices of sim/chat change by more than 20 %');
    const { output } = await run(...replacing, '--accept', 'sim/chat');
    expect(output).toMatchObject({
      rates: [{ model: 'sim/chat', rate: 'output', old: 15, new: 30, large: true }],
    });
  });

  it('loses nothing that another operator adds at the same time', async () => {
    await apply(fileOf('base', STANDARD), 'sim/chat');
    const files = ['a', 'b', 'c'].map((id) => fileOf(`added-${id}`, STANDARD, [`sim/${id}`]));
    const results = await Promise.allSettled(files.map((file) => run('catalog add', file)));
    const { models } = JSON.parse((await operator.catalog())?.json ?? '') as { models: readonly Written[] };
    const done = results.filter(({ status }) => status === 'fulfilled').length;
    expect(models).toHaveLength(1 + done);
    expect(done).toBeGreaterThan(0);
    for (const result of results)
      if (result.status === 'rejected') expect(String(result.reason)).toContain('run the command again');
  });
});

interface Written {
  readonly id: string;
  readonly routes: readonly { readonly id: string }[];
}

interface DiffOutput {
  readonly added: readonly string[];
  readonly changed: readonly Record<string, unknown>[];
  readonly blocked: readonly string[];
  readonly apply_needs: readonly string[];
  readonly usage: { readonly records_read: number; readonly complete: boolean };
}

interface BillOutput {
  readonly calls: number;
  readonly billed: number;
  readonly would_be_billed: number;
  readonly differences: number;
  readonly different: readonly { readonly by: string }[];
  readonly unknown_catalogs: readonly string[];
  readonly models: readonly Record<string, unknown>[];
}

/** Three calls of 70 tokens at $3, 30 at $0.30 and 20 at $15 a million. */
const ALL_USD = 0.001557;

describe('calls that were billed', () => {
  const calls = 3;
  let accountId: string;
  let keyId: string;
  const period = ['--from', '2020-01-01', '--to', '2999-01-01'];
  const bill = async (...args: readonly string[]) =>
    run<BillOutput>('bill', '--account', accountId, ...period, ...args);

  beforeAll(async () => {
    await apply(fileOf('billed', STANDARD));
    const handler = composeChat({
      clients: database,
      environment: { ...database.environment, [VARIABLES.holdTtlSeconds]: '1200' },
      fetch,
    });
    const account = await openAccount(database, database.environment);
    accountId = account.accountId;
    keyId = account.key.keyId;
    for (let call = 0; call < calls; call += 1) {
      const body = {
        model: 'sim/chat',
        max_tokens: 50,
        messages: [{ role: 'user', content: 'x'.repeat(500) }],
      };
      await readText(await callChat(handler, { credential: account.credential, body }));
    }
  });

  it('allow a comparison with a new catalog: the billed amounts, and the amounts at its prices', async () => {
    const { output, exitCode } = await run<DiffOutput>(
      'catalog diff',
      fileOf('doubled', { ...STANDARD, output: 30 }, ['sim/more']),
    );
    expect(exitCode).toBe(1);
    expect(output).toMatchObject({
      added: ['sim/more'],
      blocked: ['sim/chat'],
      apply_needs: ['--accept sim/chat'],
      usage: { records_read: calls, complete: true },
      changed: [
        {
          model: 'sim/chat',
          rates: [{ rate: 'output', old: 15, new: 30, factor: '2', large: true }],
          calls,
          spend: ALL_USD,
          billed: ALL_USD,
          would_be_billed: 0.002457,
        },
      ],
    });
  });

  it('count up to a limit of records', async () => {
    const { output } = await run<DiffOutput>('catalog diff', fileOf('bounded', STANDARD), '--records', '1');
    expect(output.usage).toMatchObject({ records_read: 1, complete: false });
  });

  it('retain their prices until a doubled price is accepted', async () => {
    const file = fileOf('accepted', { ...STANDARD, output: 30 });
    await expect(apply(file)).rejects.toThrow('prices of sim/chat change by more than 20 %');
    await expect(apply(file, 'sim/other')).rejects.toThrow('--accept sim/chat');
    expect((await run('catalog diff', file, '--accept', 'sim/chat')).exitCode).toBe(0);
    const version = await apply(file, 'sim/chat');
    expect((await operator.catalog())?.version).toBe(version);
  });

  it('produce the same bill again from their lines and from the catalog of their time', async () => {
    const { output, exitCode } = await bill();
    expect(exitCode).toBe(0);
    expect(output).toMatchObject({
      calls,
      billed: ALL_USD,
      would_be_billed: ALL_USD,
      differences: 0,
      without_price: 0,
      unknown_catalogs: [],
    });
  });

  it('belong to the bill through the day that is named, and --to excludes its day', async () => {
    const [today, tomorrow] = [0, 86_400_000].map((ms) =>
      new Date(Date.now() + ms).toISOString().slice(0, 10),
    );
    const of = (...end: readonly string[]) =>
      run<BillOutput>('bill', '--account', accountId, '--from', '2020-01-01', ...end);
    const through = await of('--through', today ?? '');
    expect(through.output).toMatchObject({ calls, to: `${tomorrow}T00:00:00.000Z` });
    expect(through.text).toContain(`2020-01-01 through ${today}, both days included (UTC)\n`);
    expect((await of('--to', today ?? '')).output.calls).toBe(0);
    expect((await of('--to', `${today}T12:00:00Z`)).text).toContain(` until before ${today}T12:00:00.000Z\n`);
  });

  it('make another bill by another catalog, model by model', async () => {
    const { output } = await bill('--catalog', fileOf('halved', { ...STANDARD, output: 7.5 }));
    expect(output).toMatchObject({ billed: ALL_USD, would_be_billed: 0.001107, differences: 0 });
    expect(output.models).toEqual([
      expect.objectContaining({ model: 'sim/chat', calls, would_be_billed: 0.001107 }),
    ]);
  });

  it('make the same bill by what catalog show printed', async () => {
    const shown = join(folder, 'shown-for-bill.json');
    writeFileSync(shown, JSON.stringify((await run('catalog show')).output));
    const { document } = JSON.parse(readFileSync(shown, 'utf8')) as { document: object };
    const file = join(folder, 'document-for-bill.json');
    writeFileSync(file, JSON.stringify(document));
    const { output } = await bill('--catalog', shown);
    expect(output).toEqual((await bill('--catalog', file)).output);
    expect(output.would_be_billed).toBeGreaterThan(0);
  });

  it('appear as differences if a record was changed', async () => {
    const store = createUsageStore(database.client, database.tables.usage);
    const { records } = await store.list({ keyId, from: 'req_', to: 'req_~', limit: 1 });
    const [record] = records;
    if (record === undefined) throw new Error('there is no record');
    const { lines: _lines, ...unproven } = record;
    await store.put({ ...unproven, id: `${record.id.slice(0, -1)}!` });
    await store.put({ ...record, id: `${record.id.slice(0, -1)}%`, cost: record.cost + 1n });
    await store.put({ ...record, id: `${record.id.slice(0, -1)}'`, catalog: '0000000000000000' });
    const { output, exitCode } = await bill();
    expect(exitCode).toBe(1);
    expect(output).toMatchObject({
      calls: calls + 3,
      differences: 4,
      unknown_catalogs: ['0000000000000000'],
    });
    expect(output.different.map(({ by }) => by).sort()).toEqual(['catalog', 'catalog', 'lines', 'lines']);
  });

  it.each([
    [['--account', 'acc_none', ...period], 'there is no account acc_none'],
    [['--account', 'a', '--from', 'yesterday', '--to', '2999-01-01'], '--from must be a date'],
    [['--account', 'a', '--from', '2026-11-02', '--to', '2026-11-01'], '--from must be before --to'],
    [['--account', 'a', '--from', '2026-11-02'], 'name one of --through and --to'],
    [['--account', 'a', ...period, '--through', '2999-01-01'], 'name one of --through and --to'],
    [
      ['--account', 'a', '--from', '2026-11-02', '--through', '2026-11-01'],
      '--from must be before --through',
    ],
    [
      ['--account', 'a', '--from', '2026-11-02', '--through', '2026-11-03T00:00:00Z'],
      '--through must be a date',
    ],
    [['--account', 'a', ...period, '--catalog', 'nothing.json'], 'there is no file nothing.json'],
  ])('remain unread for the wrong arguments %j', async (args, message) => {
    await expect(run('bill', ...args)).rejects.toThrow(message);
  });
});
