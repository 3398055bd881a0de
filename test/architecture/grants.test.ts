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

const named = (found: readonly { readonly name: string }[]): string[] => found.map(({ name }) => name).sort();

describe('what a function may do in the database', () => {
  it('is to read the whole of a table only where that is its task', () => {
    expect(granted('Scan').sort()).toEqual([
      'audit-books: wallets',
      'list-operator-accounts: wallets',
      'list-operator-routes: circuits',
      'sweep-holds: wallets',
    ]);
  });

  it('is never to write where a caller shows neither key nor session', () => {
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

  it('is all that the recovery of a hold takes, wherever one may be found expired', () => {
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

  it('is to check that a session has not been ended, wherever one is taken', () => {
    const taking = functions.filter(({ grants }) => grants.sessionKey && !grants.identityProviders);
    expect(taking.length).toBeGreaterThan(15);
    expect(named(taking.filter(({ grants }) => !grants.tables?.sessions?.includes('GetItem')))).toEqual([]);
  });

  it('is to read the catalog, wherever it is known', () => {
    const knowing = functions.filter(({ grants }) => grants.tables?.catalog !== undefined);
    expect(knowing.length).toBeGreaterThan(10);
    expect(knowing.flatMap(({ name, grants }) => [[name, grants.tables?.catalog]])).toEqual(
      knowing.map(({ name }) => [name, ['GetItem']]),
    );
  });

  it('is to read a thing of an account before the thing is changed, wherever a session changes one', () => {
    const changing = functions.flatMap(({ name, grants }) => {
      const thing = /^(?:update|delete|rotate|rollback|install|purchase)-(key|listing|release)$/.exec(
        name,
      )?.[1];
      if (thing === undefined || grants.sessionKey === undefined) return [];
      const table = thing === 'key' ? ('keys' as const) : ('listings' as const);
      return [{ name, actions: grants.tables?.[table] ?? [] }];
    });
    expect(changing).toHaveLength(8);
    for (const action of ['GetItem', 'UpdateItem'] as const)
      expect([action, named(changing.filter(({ actions }) => !actions.includes(action)))]).toEqual([
        action,
        [],
      ]);
  });

  it('is to write the thing that is made, wherever one is made in a table of such things', () => {
    const tables = {
      key: 'keys',
      listing: 'listings',
      review: 'listings',
      release: 'listings',
      webhook: 'webhooks',
    };
    for (const [thing, table] of Object.entries(tables))
      expect(granted('PutItem')).toContain(`create-${thing}: ${table}`);
  });

  it('is to read the listings that an index of theirs names: it holds keys only', () => {
    const asking = functions.filter(({ grants }) =>
      grants.indexes?.some(({ table }) => table === 'listings'),
    );
    expect(asking.length).toBeGreaterThan(1);
    expect(named(asking.filter(({ grants }) => !grants.tables?.listings?.includes('BatchGetItem')))).toEqual(
      [],
    );
  });

  it('is to count a request against its key, wherever one is taken', () => {
    const taking = takingAnyOf('api-key', 'api-key-or-session').filter(({ grants }) => grants.keyPepper);
    expect(taking.length).toBeGreaterThan(20);
    expect(named(taking.filter(({ grants }) => !grants.tables?.keys?.includes('UpdateItem')))).toEqual([]);
  });

  it('is to check keys and sessions, wherever a route takes either', () => {
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
