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
  it('only functions that process a whole table may scan it', () => {
    expect(granted('Scan').sort()).toEqual([
      'audit-books: wallets',
      'list-operator-accounts: wallets',
      'list-operator-routes: circuits',
      'list-operator-sellers: market',
      'reconcile-payments: accounts',
      'sweep-holds: wallets',
    ]);
  });

  it('a function that a caller can use without a key or session never writes', () => {
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

  it('a function that can recover an expired hold may do all that the recovery needs', () => {
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

  it('a function that accepts sessions may check that the session has not ended', () => {
    // One lists the public keys that are derived from the session key.
    const taking = functions.filter(
      ({ name, grants }) => grants.sessionKey && !grants.identityProviders && name !== 'get-jwks',
    );
    expect(taking.length).toBeGreaterThan(15);
    expect(named(taking.filter(({ grants }) => !grants.tables?.sessions?.includes('GetItem')))).toEqual([]);
  });

  it('a function with access to the catalog may read it and do nothing else', () => {
    const knowing = functions.filter(({ grants }) => grants.tables?.catalog !== undefined);
    expect(knowing.length).toBeGreaterThan(10);
    expect(knowing.flatMap(({ name, grants }) => [[name, grants.tables?.catalog]])).toEqual(
      knowing.map(({ name }) => [name, ['GetItem']]),
    );
  });

  it('a function that changes a key, listing or release for a session may also read it', () => {
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

  it('a function that creates an item may write to the table of such items', () => {
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

  it('a function that queries an index of the listings, which holds keys only, may read the listings themselves', () => {
    const requestWith = functions.filter(({ grants }) =>
      grants.indexes?.some(({ table }) => table === 'listings'),
    );
    expect(requestWith.length).toBeGreaterThan(1);
    expect(
      named(requestWith.filter(({ grants }) => !grants.tables?.listings?.includes('BatchGetItem'))),
    ).toEqual([]);
  });

  it('a function that accepts keys may count a request against the key', () => {
    const taking = takingAnyOf('api-key', 'api-key-or-session').filter(({ grants }) => grants.keyPepper);
    expect(taking.length).toBeGreaterThan(20);
    expect(named(taking.filter(({ grants }) => !grants.tables?.keys?.includes('UpdateItem')))).toEqual([]);
  });

  it('a function of a route for keys or sessions may check both, and a function for keys only has no session key', () => {
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
