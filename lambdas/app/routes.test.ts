import { describe, expect, it } from '@jest/globals';
import type { Route } from '../platform/contract/route.ts';
import { ROUTES } from './routes.ts';

const routes: readonly (readonly [string, Route])[] = ROUTES.map((route) => [
  `${route.method} ${route.path}`,
  route,
]);
const segmentsOf = ({ path }: Pick<Route, 'path'>): readonly string[] => path.split('/').slice(1);

describe('a route', () => {
  it.each(routes)('uses a path in the syntax of API Gateway, greedy only at its end: %s', (_name, route) => {
    expect(route.path).toMatch(/^\/([a-z0-9._-]+|\{[a-z_]+\+?\})?(\/([a-z0-9._-]+|\{[a-z_]+\+?\}))*$/);
    const inner = segmentsOf(route).slice(0, -1);
    expect(inner.filter((segment) => segment.endsWith('+}'))).toEqual([]);
  });

  it('streams only where it is paid for, sends bytes or a span of calls, and is paid for only with a key', () => {
    const all = routes.map(([, route]) => route);
    const streamed = all.filter(({ response }) => response === 'streamed');
    const unpaid = streamed.filter(({ paid }) => !paid).map(({ endpoint }) => endpoint);
    expect(new Set(unpaid)).toEqual(
      new Set(['get-console', 'get-console-asset', 'get-docs-asset', 'list-account-usage']),
    );
    const paid = all.filter((route) => route.paid).map(({ authentication }) => authentication);
    expect(new Set(paid)).toEqual(new Set(['api-key']));
  });

  it.each(routes)('states its purpose in one line: %s', (_name, { purpose }) => {
    expect(purpose).toMatch(/^\S.{4,79}$/);
  });

  it.each(routes)('responds in the envelope of its API: %s', (_name, { api, surface }) => {
    expect(surface === 'platform').toBe(api === 'platform');
  });
});

describe('the routes of an API', () => {
  it('name the parameter at one place alike, as API Gateway demands of siblings', () => {
    const names = new Map<string, string>();
    const clashes = ROUTES.flatMap((route) =>
      segmentsOf(route).flatMap((segment, index) => {
        if (!segment.startsWith('{')) return [];
        const path = `${route.api} /${segmentsOf(route).slice(0, index).join('/')}`;
        const parameterName = names.get(path) ?? segment;
        names.set(path, parameterName);
        return parameterName === segment ? [] : [`${path}: ${parameterName} and ${segment}`];
      }),
    );
    expect(clashes).toEqual([]);
  });
});
