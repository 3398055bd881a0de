/** Usage and costs that other tools read: OpenAI's endpoints by its SDK, and whose usage a key may read. */
import { beforeAll, describe, expect, it } from '@jest/globals';
import OpenAI from 'openai';
import { parseUsd } from '../../../lambdas/platform/core/money.ts';
import { describedFetch } from '../described-answers.ts';
import { type CreatedKey, Owner } from '../owner.ts';
import { errorOf } from '../payer.ts';
import { service } from './service.ts';

const READS = { reads: 'account' } as const;

let mine: Owner;
let theirs: Owner;
let own: CreatedKey;
let other: CreatedKey;
let reader: CreatedKey;
let foreign: CreatedKey;
let sinceSeconds: number;

const chat = (model: string, content: string, { key }: CreatedKey) =>
  service.chat({ model, messages: [{ role: 'user', content }], max_tokens: 20 }, { key });

/** The client of a finance tool: it has no key of projects. */
const adminOf = (adminAPIKey: string) =>
  new OpenAI({
    baseURL: `${service.session.base_url}/v1`,
    apiKey: null,
    adminAPIKey,
    maxRetries: 0,
    fetch: describedFetch,
  }).admin.organization.usage;

/** The cost of records, in nano-USD. */
const costOf = (records: readonly { readonly cost: number }[]): bigint =>
  records.reduce((sum, { cost }) => sum + (parseUsd(cost) ?? 0n), 0n);

async function recordsOf(key: string, path = '/v1/usage?limit=100') {
  const { data } = (await (await service.fetch(path, { key })).json()) as {
    data: readonly { id: string; cost: number; model: string; api_key?: string; input_units: number }[];
  };
  return data;
}

beforeAll(async () => {
  [mine, theirs] = await Promise.all([Owner.open(service), Owner.open(service)]);
  await Promise.all([mine.buy(5), theirs.buy(5)]);
  sinceSeconds = Math.floor(Date.now() / 1000) - 2 * 86_400;
  own = await mine.createKey({ name: 'own' });
  other = await mine.createKey({ name: '=HYPERLINK("http://a")' });
  reader = await mine.createKey({ name: 'reader', policy: { ...READS, allowed_kinds: [] } });
  foreign = await theirs.createKey({ name: 'foreign', policy: READS });
  for (const [model, key] of [
    ['sim/chat', own],
    ['sim/chat-large', own],
    ['sim/chat', other],
    ['sim/chat', foreign],
  ] as const)
    expect((await chat(model, `Some words for ${model}.`, key)).status).toBe(200);
  const embedded = await service.post(
    '/v1/embeddings',
    { model: 'sim/embed', input: 'words' },
    { key: other.key },
  );
  expect(embedded.status).toBe(200);
});

describe('OpenAI’s SDK', () => {
  it('reads costs with pages to the end, whose sums are the ledger’s', async () => {
    const usage = adminOf(reader.key);
    const costs: {
      readonly cost: number;
      readonly model?: string | null | undefined;
      readonly key?: string | null | undefined;
    }[] = [];
    let pages = 0;
    for (let page: string | null | undefined; page !== null; pages += 1) {
      const asked = {
        start_time: sinceSeconds,
        limit: 1,
        group_by: ['line_item', 'api_key_id'] as ['line_item', 'api_key_id'],
      };
      const { data, next_page: next } = await usage.costs({
        ...asked,
        ...(page === undefined ? {} : { page }),
      });
      for (const result of data.flatMap(({ results }) => results))
        if (result.object === 'organization.costs.result')
          costs.push({ cost: result.amount?.value ?? 0, model: result.line_item, key: result.api_key_id });
      page = next;
    }
    expect(pages).toBe(3);
    const records = await recordsOf(reader.key);
    expect(records).toHaveLength(4);
    expect(costOf(costs)).toBe(costOf(records));
    for (const { cost, model, key } of costs) {
      const grouped = records.filter((record) => record.model === model && record.api_key === key);
      expect([grouped.length > 0, costOf(grouped)]).toEqual([true, costOf([{ cost }])]);
    }
    const { balance } = await service.admin<{ balance: number }>('wallet', 'show', '--account', mine.id);
    expect(costOf(costs)).toBe(5_000_000_000n - (parseUsd(balance) ?? 0n));
  });

  it('reads the usage of each kind by the hour', async () => {
    const usage = adminOf(mine.session);
    const query = { start_time: Math.floor(Date.now() / 1000) - 3_600, bucket_width: '1h' as const };
    const resultsOf = ({ data }: Awaited<ReturnType<typeof usage.completions>>) =>
      data.flatMap(({ results }) => results);
    const [completions] = resultsOf(await usage.completions({ ...query, models: ['sim/chat'] }));
    const records = await recordsOf(reader.key);
    const tokens = records
      .filter(({ model }) => model === 'sim/chat')
      .reduce((sum, { input_units: units }) => sum + units, 0);
    expect(completions).toMatchObject({
      object: 'organization.usage.completions.result',
      num_model_requests: 2,
      input_tokens: tokens,
      model: null,
    });
    expect(resultsOf(await usage.embeddings({ ...query, group_by: ['model'] }))).toMatchObject([
      { object: 'organization.usage.embeddings.result', num_model_requests: 1, model: 'sim/embed' },
    ]);
    for (const empty of [
      await usage.images(query),
      await usage.audioSpeeches(query),
      await usage.audioTranscriptions(query),
    ])
      expect(resultsOf(empty)).toEqual([]);
  });

  it.each(['user_ids', 'project_ids', 'batch'])('receives 400 that names %s', async (param) => {
    const query = { start_time: sinceSeconds, [param]: param === 'batch' ? true : ['a'] };
    await expect(adminOf(reader.key).completions(query)).rejects.toMatchObject({ status: 400, param });
  });
});

describe('the usage that a key reads', () => {
  const costs = `start_time=${Math.floor(Date.now() / 1000) - 86_400}&group_by=api_key_id`;
  const keysSeen = async (credential: string, more = '') => {
    const response = await service.fetch(`/v1/organization/costs?${costs}${more}`, { key: credential });
    const { data } = (await response.json()) as { data: { results: { api_key_id: string }[] }[] };
    return data.flatMap(({ results }) => results.map(({ api_key_id: id }) => id)).toSorted();
  };

  it('extends to its account by its policy alone', async () => {
    const both = [own.id, other.id].toSorted();
    expect(
      await Promise.all([own.key, reader.key, mine.session, foreign.key].map((key) => keysSeen(key))),
    ).toEqual([[own.id], both, both, [foreign.id]]);
    const ids = (records: Awaited<ReturnType<typeof recordsOf>>) =>
      new Set(records.map(({ api_key: id }) => id));
    expect(ids(await recordsOf(own.key))).toEqual(new Set([undefined]));
    expect(ids(await recordsOf(reader.key))).toEqual(new Set(both));
    const [call] = await recordsOf(other.key);
    const statuses = [own, other, reader, foreign].map(
      async ({ key }) => (await service.fetch(`/v1/usage/${call?.id}`, { key })).status,
    );
    expect(await Promise.all(statuses)).toEqual([404, 200, 200, 404]);
  });

  it('shows nothing of another key or account that a query names', async () => {
    for (const id of [other.id, foreign.id])
      expect(await keysSeen(own.key, `&api_key_ids=${id}`)).toEqual([]);
    expect(await keysSeen(reader.key, `&api_key_ids[]=${foreign.id}`)).toEqual([]);
  });

  it('shows nothing by a page of another account, of the account, or of another query', async () => {
    const first = `/v1/organization/costs?start_time=${sinceSeconds}&limit=1`;
    const { next_page: page } = (await (await service.fetch(first, { key: reader.key })).json()) as {
      next_page: string;
    };
    const status = async (path: string, key: string) =>
      await errorOf(await service.fetch(`${path}&page=${page}`, { key }));
    for (const [path, key] of [
      [first, foreign.key],
      [first, own.key],
      [`${first}&group_by=api_key_id`, reader.key],
      [first.replace('costs', 'usage/completions'), reader.key],
    ] as const)
      expect(await status(path, key)).toMatchObject({ status: 400, param: 'page' });
    expect((await service.fetch(`${first}&page=${page}`, { key: mine.session })).status).toBe(200);
  });

  it('cannot be extended by a key, nor by the owner of another account', async () => {
    const change = { policy: READS };
    const patch = (key: string | null) =>
      service.fetch(`/api-keys/${own.id}`, {
        method: 'PATCH',
        key,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(change),
      });
    const attempts = [await patch(own.key), await patch(reader.key), await patch(theirs.session)];
    const created = await service.post('/api-keys', { name: 'more', ...change }, { key: reader.key });
    expect([...attempts, created].map(({ status }) => status)).toEqual([401, 401, 404, 401]);
    expect(await keysSeen(own.key)).toEqual([own.id]);
  });

  it('ends with the policy, on the next call', async () => {
    const { id, key } = await mine.createKey({ name: 'for a time', policy: READS });
    expect(await keysSeen(key)).toHaveLength(2);
    await mine.send('PATCH', `/api-keys/${id}`, { policy: {} });
    expect(await keysSeen(key)).toEqual([]);
  });

  it('answers 404 for a kind that there is not', async () => {
    const response = await service.fetch(`/v1/organization/usage/moderations?${costs}`, { key: reader.key });
    expect(await errorOf(response)).toMatchObject({ status: 404, code: 'unknown_path' });
  });
});

describe('the list of calls', () => {
  const modelsOf = async (key: string, query: string) =>
    (await recordsOf(key, `/v1/usage?${query}`)).map(({ model }) => model).toSorted();

  it('takes the same filters from a key as from its owner', async () => {
    for (const [query, ofKey] of [
      ['model=sim/chat', ['sim/chat']],
      ['kind=embeddings', ['sim/embed']],
      ['status=failed', []],
      [`api_key=${other.id}`, ['sim/chat', 'sim/embed']],
      [`api_key=${own.id}`, []],
    ] as const) {
      expect([query, await modelsOf(other.key, query)]).toEqual([query, ofKey]);
      const { data } = await mine.json<{ data: readonly { model: string }[] }>(`/api/v1/usage?${query}`);
      expect([query, await modelsOf(reader.key, query)]).toEqual([
        query,
        data.map(({ model }) => model).toSorted(),
      ]);
    }
    expect(await errorOf(await service.fetch('/v1/usage?kind=song', { key: own.key }))).toMatchObject({
      status: 400,
      param: 'kind',
    });
  });

  it('names a parameter that it does not know in a header', async () => {
    const query = 'models=sim/embed&model=sim/chat&bogus=1';
    const ignoredAt = async (path: string, key: string) => {
      const response = await service.fetch(`${path}?${query}`, { key });
      return [response.status, response.headers.get('x-ignored-fields')];
    };
    for (const [path, key] of [
      ['/v1/usage', own.key],
      ['/api/v1/usage', mine.session],
    ] as const)
      expect(await ignoredAt(path, key)).toEqual([200, 'models,bogus']);
    expect((await mine.fetch('/api/v1/usage?model=a')).headers.get('x-ignored-fields')).toBeNull();
  });
});

describe('the calls of an account', () => {
  it('contain the names of their keys, of a revoked one too', async () => {
    const revoked = await mine.createKey({ name: 'walk' });
    expect((await chat('sim/chat', 'One more.', revoked)).status).toBe(200);
    await mine.send('DELETE', `/api-keys/${revoked.id}`);
    const { data } = (await (await mine.fetch('/api/v1/usage')).json()) as {
      data: readonly { id: string; api_key: string; key_name: string }[];
    };
    const names = { [own.id]: 'own', [other.id]: '=HYPERLINK("http://a")', [revoked.id]: 'walk' };
    expect(Object.fromEntries(data.map(({ api_key, key_name }) => [api_key, key_name]))).toEqual(names);
    const receipt = await mine.fetch(`/api/v1/usage/${data[0]?.id}`);
    expect(await receipt.json()).toMatchObject({ api_key: revoked.id, key_name: 'walk' });
  });
});

describe('the CSV of a statement', () => {
  it('contains the lines of the statement with its amounts', async () => {
    const span = `start=${sinceSeconds}`;
    const { statement } = (await (await mine.fetch(`/api/v1/credits?${span}`)).json()) as {
      statement: Readonly<Record<string, unknown>>;
    };
    const response = await mine.fetch(`/api/v1/credits?${span}&format=csv`);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
    const [head = [], ...rows] = (await response.text())
      .trimEnd()
      .split('\r\n')
      .map((line) => line.split(','));
    const [line, amount] = [head.indexOf('x_Line'), head.indexOf('x_Amount')];
    const amounts = Object.fromEntries(rows.map((row) => [row[line], Number(row[amount])]));
    const { start: _, end: __, charges: ___, charges_omitted: omitted, ...lines } = statement;
    expect(amounts).toEqual({ ...lines, charges_omitted: omitted });
    expect(amounts.usage).toBeLessThan(0);
    expect(await errorOf(await mine.fetch('/api/v1/credits?format=csv'))).toMatchObject({ param: 'start' });
    expect((await service.fetch(`/api/v1/credits?${span}&format=csv`, { key: reader.key })).status).toBe(401);
  });
});

describe('the CSV of usage', () => {
  it('contains every call of the account with its exact cost, and none of another', async () => {
    const response = await mine.fetch('/api/v1/usage?format=csv');
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
    const [head = '', ...lines] = (await response.text()).trimEnd().split('\r\n');
    const columns = head.split(',');
    const rows = lines.map((line) => line.split(','));
    const cellOf = (row: readonly string[], column: string) => row[columns.indexOf(column)] ?? '';
    const records = await recordsOf(reader.key);
    expect(rows.map((row) => [cellOf(row, 'x_RequestId'), parseUsd(cellOf(row, 'BilledCost'))])).toEqual(
      records.map(({ id, cost }) => [id, parseUsd(cost)]),
    );
    expect(rows.map((row) => cellOf(row, 'BillingAccountId'))).toEqual(records.map(() => mine.id));
    expect((await service.fetch('/api/v1/usage?format=csv', { key: reader.key })).status).toBe(401);
    expect(await errorOf(await mine.fetch('/api/v1/usage?format=xml'))).toMatchObject({ param: 'format' });
  });
});
