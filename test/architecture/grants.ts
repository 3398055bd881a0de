import { describe, expect, it } from '@jest/globals';
import { ROUTES } from '../../lambdas/app/routes.ts';
import type { DynamoAction, Grants } from '../../lambdas/platform/contract/grants.ts';
import type { Authentication, Route } from '../../lambdas/platform/contract/route.ts';
import { type FunctionName, GRANTS } from '../../lib/config/grants.ts';

const functions = (Object.keys(GRANTS) as FunctionName[]).map((name) => ({
  name,
  grants: GRANTS[name] as Grants,
}));

/** `function: table` for each table on which an action is granted. */
const granted = (action: DynamoAction): string[] =>
  functions.flatMap(({ name, grants }) =>
    Object.entries(grants.tables ?? {})
      .filter(([, actions]) => actions?.includes(action))
      .map(([table]) => `${name}: ${table}`),
  );

/** The functions of the routes with that authentication. */
const takingAnyOf = (...kinds: readonly Authentication[]) => {
  const names = new Set<string>(
    ROUTES.filter((route: Route) => kinds.includes(route.authentication)).map(({ endpoint }) => endpoint),
  );
  return functions.filter(({ name }) => names.has(name));
};

const named = (grants: readonly { readonly name: string }[]): string[] =>
  grants.map(({ name }) => name).sort();

describe('the database grants of a function', () => {
  it('allow a scan of a table only if the function processes the whole table', () => {
    expect(granted('Scan').sort()).toEqual([
      'audit-books: wallets',
      'get-operator-sales: keys',
      'list-operator-accounts: wallets',
      'list-operator-routes: circuits',
      'list-operator-sellers: market',
      'reconcile-payments: accounts',
      'sweep-holds: wallets',
    ]);
  });

  it('allow no write if a caller needs no key or session', () => {
    const open = functions.filter(
      ({ name, grants }) =>
        /^(get|list|search)-/.test(name) && grants.keyPepper === undefined && grants.sessionKey === undefined,
    );
    expect(open.length).toBeGreaterThan(10);
    const reads: ReadonlySet<DynamoAction> = new Set(['GetItem', 'BatchGetItem', 'Query']);
    const writing = open.filter(({ grants }) =>
      Object.values(grants.tables ?? {}).some((actions) => actions?.some((action) => !reads.has(action))),
    );
    expect(named(writing)).toEqual([]);
  });

  it('allow all that a recovery needs if the function can recover an expired hold', () => {
    const holding = functions.filter(({ grants }) => grants.holds);
    expect(named(holding)).toEqual(expect.arrayContaining(['create-message', 'get-credits', 'sweep-holds']));
    const needs: readonly (readonly [keyof NonNullable<Grants['tables']>, DynamoAction])[] = [
      ['wallets', 'GetItem'],
      ['wallets', 'UpdateItem'],
      ['usage', 'PutItem'],
    ];
    for (const [table, action] of needs) {
      const without = holding.filter(({ grants }) => !grants.tables?.[table]?.includes(action));
      expect([action, table, named(without)]).toEqual([action, table, []]);
    }
  });

  it('allow the check that a session has not ended if the function accepts sessions', () => {
    // One lists the public keys that are derived from the session key.
    const taking = functions.filter(
      ({ name, grants }) => grants.sessionKey && !grants.identityProviders && name !== 'get-jwks',
    );
    expect(taking.length).toBeGreaterThan(15);
    expect(named(taking.filter(({ grants }) => !grants.tables?.sessions?.includes('GetItem')))).toEqual([]);
  });

  it('allow reading the catalog, and nothing else in its table', () => {
    const knowing = functions.filter(({ grants }) => grants.tables?.catalog !== undefined);
    expect(knowing.length).toBeGreaterThan(10);
    expect(knowing.flatMap(({ name, grants }) => [[name, grants.tables?.catalog]])).toEqual(
      knowing.map(({ name }) => [name, ['GetItem']]),
    );
  });

  it('allow reading a key, listing or release if the function changes it for a session', () => {
    const changing = functions.flatMap(({ name, grants }) => {
      const kind = /^(?:update|delete|rotate|rollback|install|purchase)-(key|listing|release)$/.exec(
        name,
      )?.[1];
      if (kind === undefined || grants.sessionKey === undefined) return [];
      const table = kind === 'key' ? ('keys' as const) : ('listings' as const);
      return [{ name, actions: grants.tables?.[table] ?? [] }];
    });
    expect(changing).toHaveLength(8);
    for (const action of ['GetItem', 'UpdateItem'] as const)
      expect([action, named(changing.filter(({ actions }) => !actions.includes(action)))]).toEqual([
        action,
        [],
      ]);
  });

  it('allow writing to the table of an item if the function creates the item', () => {
    const tables = {
      key: 'keys',
      listing: 'listings',
      review: 'listings',
      release: 'listings',
      webhook: 'webhooks',
    };
    for (const [kind, table] of Object.entries(tables))
      expect(granted('PutItem')).toContain(`create-${kind}: ${table}`);
  });

  it('allow reading the listings if the function queries an index of them, which contains only keys', () => {
    const requestWith = functions.filter(({ grants }) =>
      grants.indexes?.some(({ table }) => table === 'listings'),
    );
    expect(requestWith.length).toBeGreaterThan(1);
    expect(
      named(requestWith.filter(({ grants }) => !grants.tables?.listings?.includes('BatchGetItem'))),
    ).toEqual([]);
  });

  it('allow counting a request against its key if the function accepts keys', () => {
    const taking = takingAnyOf('api-key', 'api-key-or-session').filter(({ grants }) => grants.keyPepper);
    expect(taking.length).toBeGreaterThan(20);
    expect(named(taking.filter(({ grants }) => !grants.tables?.keys?.includes('UpdateItem')))).toEqual([]);
  });

  it('allow checking keys and sessions on a route for both, and no session key on a route for keys only', () => {
    const taking = takingAnyOf('api-key-or-session');
    expect(taking.length).toBeGreaterThan(10);
    const without = taking.filter(
      ({ grants: { keyPepper, sessionKey, tables } }) =>
        !(keyPepper && sessionKey && tables?.sessions?.includes('GetItem')),
    );
    expect(named(without)).toEqual([]);
    // What proves a session is no business of a function that takes keys only.
    expect(named(takingAnyOf('api-key').filter(({ grants }) => grants.sessionKey))).toEqual([]);
  });
});
