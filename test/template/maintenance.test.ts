import { describe, expect, it } from '@jest/globals';
import { ROUTES } from '../../lambdas/app/routes.ts';
import type { Route } from '../../lambdas/platform/contract/route.ts';
import { TABLES } from '../../lambdas/platform/contract/tables.ts';
import { RESTORED } from '../../operator/restore/tables.ts';
import { policiesOf, resourceName } from './permissions.ts';
import { STACK_NAMES, SynthesizedApp } from './synthesized-app.ts';

const STACKS = [...STACK_NAMES, 'ingress'] as const;
/** The table of the catalog has the item that closes the service. */
const VARIABLE = TABLES.catalog.variable;

describe.each(['standard', 'fargate'] as const)('maintenance mode of %s', (name) => {
  const app = new SynthesizedApp(name);
  const closable = new Set<string>(
    ROUTES.filter(({ method }: Route) => method !== 'GET').map(({ endpoint }) => endpoint),
  );
  const statements = STACKS.flatMap((stack) =>
    policiesOf(app, stack).flatMap(([, listed]) =>
      listed
        .filter(({ Action }) => [Action].flat().some((action) => action.startsWith('dynamodb:')))
        .flatMap(({ Effect, Action, Resource }) =>
          [Resource]
            .flat()
            .filter((each) => resourceName(app, stack, each) === 'data:Catalog.Arn')
            .flatMap(() => [Action].flat().map((action) => [Effect, action])),
        ),
    ),
  );

  it('reaches every function and host that serves a request other than GET', () => {
    const named = STACKS.flatMap((stack) =>
      app.resources(stack, 'AWS::Lambda::Function').flatMap(([id, { Properties }]) => {
        const { Variables: variables = {} } = (Properties.Environment ?? {}) as {
          Variables?: Record<string, unknown>;
        };
        return variables[VARIABLE] === undefined || stack === 'ingress'
          ? []
          : [app.functionName(stack, id) as string];
      }),
    );
    expect([...closable].filter((endpoint) => !named.includes(endpoint))).toEqual([]);
    const ingress = JSON.stringify(app.templates.ingress.Resources);
    expect(ingress.includes(VARIABLE)).toBe(name !== 'standard');
  });

  it('can be read by the roles of the service, and changed by none', () => {
    expect(statements.length).toBeGreaterThan(closable.size / 2);
    for (const statement of statements) expect(statement).toEqual(['Allow', 'dynamodb:GetItem']);
  });
});

describe('the switch of maintenance mode', () => {
  it('survives a restore, which leaves its table as it is', () => {
    expect(RESTORED).not.toContain('catalog');
  });
});
