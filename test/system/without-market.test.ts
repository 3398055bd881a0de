/** The service with the setting `"market": false`, as `npm start` runs it. */
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { ROUTES } from '../../lambdas/app/routes.ts';
import type { Route } from '../../lambdas/platform/contract/route.ts';
import { oneService } from './one-service.ts';
import { Owner } from './owner.ts';

const service = oneService({ CONFIG: join(import.meta.dirname, 'without-market.json') });
let owner: Owner;

beforeAll(async () => {
  owner = await Owner.open(service);
});

const isOfMarket = ({ setting }: Route): boolean => setting === 'market';
const rows = (routes: readonly Route[]) =>
  routes.map(({ method, path }) => `${method} ${path.replace('+}', '}')}`).sort();

const read = async <T>(path: string): Promise<T> =>
  (await (await service.fetch(path, { key: null })).json()) as T;

/** Without the comparison of the response with the description, which is that of the whole service. */
const send = (method: string, path: string) =>
  fetch(`${service.session.base_url}${path}`, {
    method,
    headers: { authorization: `Bearer ${owner.session}` },
  });

/** Creates a webhook; returns the status and the field of the error. */
async function subscribe(type: string): Promise<readonly unknown[]> {
  const response = await owner.send('POST', '/api/v1/webhooks', {
    url: 'https://example.com/',
    events: [type],
  });
  const { error } = (await response.json()) as { error?: { param: string } };
  return [response.status, error?.param];
}

describe('a service without a market', () => {
  it('lists every route but those of the market in its index and its description', async () => {
    const expected = rows(ROUTES.filter((route: Route) => !isOfMarket(route)));
    const { endpoints } = await read<{ endpoints: readonly Route[] }>('/');
    expect(rows(endpoints)).toEqual(expected);
    const document = await read<{
      paths: Record<string, object>;
      tags: readonly { name: string }[];
      components: { schemas: Record<string, object> };
    }>('/openapi.json');
    const described = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(described.sort()).toEqual(expected);
    expect(document.tags.map(({ name }) => name)).not.toContain('Market');
    expect(Object.keys(document.components.schemas)).not.toContain('Listing');
    expect(JSON.stringify(document)).not.toContain('listing.installed');
  });

  it('answers 404 on each path of the market, whatever the method', async () => {
    const paths = new Set(ROUTES.filter(isOfMarket).map(({ path }) => path.replace(/\{\w+\}/g, 'x')));
    expect(paths.size).toBeGreaterThan(30);
    for (const path of paths) {
      const statuses = await Promise.all(
        ['GET', 'POST', 'DELETE'].map(async (method) => (await send(method, path)).status),
      );
      expect([path, ...statuses]).toEqual([path, 404, 404, 404]);
    }
  });

  it('rejects the types of events of the market, and accepts that of webhooks', async () => {
    expect(await subscribe('listing.installed')).toEqual([400, 'events[0]']);
    expect(await subscribe('endpoint.disabled')).toEqual([201, undefined]);
  });

  it('pays for credit and calls, and its books are exact', async () => {
    await owner.buy(5);
    const { key } = await owner.createKey({ name: 'k' });
    const body = { model: 'sim/chat', messages: [{ role: 'user', content: 'Repeat exactly: open' }] };
    expect((await service.chat(body, { key })).status).toBe(200);
    expect(await service.audit()).toMatchObject({ exact: true });
    await expect(service.admin('tables', 'check')).resolves.toEqual({ different: [] });
  });

  it('names what is missing to an operator of a market', async () => {
    await expect(service.admin('market', 'run')).rejects.toThrow('MARKET_TABLE is not set');
  });
});
