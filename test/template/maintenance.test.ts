import { describe, expect, it } from '@jest/globals';
import { ROUTES } from '../../lambdas/app/routes.ts';
import { VARIABLES } from '../../lambdas/platform/contract/environment.ts';
import { maintenanceParameter } from '../../lambdas/platform/contract/maintenance.ts';
import type { Route } from '../../lambdas/platform/contract/route.ts';
import { policiesOf, resourceName } from './permissions.ts';
import { STACK_NAMES, SynthesizedApp } from './synthesized-app.ts';

const STACKS = [...STACK_NAMES, 'ingress'] as const;

describe.each(['standard', 'fargate'] as const)('maintenance mode of %s', (name) => {
  const app = new SynthesizedApp(name);
  const closable = new Set<string>(
    ROUTES.filter(({ method }: Route) => method !== 'GET').map(({ endpoint }) => endpoint),
  );
  const parameter = maintenanceParameter('prod');

  it('reaches every function and host that serves a request other than GET', () => {
    const named = STACKS.flatMap((stack) =>
      app.resources(stack, 'AWS::Lambda::Function').flatMap(([id, { Properties }]) => {
        const { Variables: variables = {} } = (Properties.Environment ?? {}) as {
          Variables?: Record<string, unknown>;
        };
        const value = variables[VARIABLES.maintenanceParameter];
        if (value !== undefined) expect(value).toBe(parameter);
        return value === undefined || stack === 'ingress' ? [] : [app.functionName(stack, id) as string];
      }),
    );
    expect([...closable].filter((endpoint) => !named.includes(endpoint))).toEqual([]);
    const ingress = JSON.stringify(app.templates.ingress.Resources);
    expect(ingress.includes(parameter)).toBe(name !== 'standard');
  });

  it('can be read by the roles of the service, and changed by none', () => {
    const statements = STACKS.flatMap(
      (stack) =>
        policiesOf(app, stack).flatMap(([, listed]) =>
          listed
            .filter(({ Action }) => [Action].flat().some((action) => action.startsWith('ssm:')))
            .flatMap(({ Effect, Action, Resource }) =>
              [Resource].flat().map((each) => [Effect, Action, resourceName(app, stack, each)]),
            ),
        ),
      // The CDK's own parameters, by which a stack reads the outputs of another region.
    ).filter(([, , resource]) => !/:parameter\/cdk\/exports\/[^*]*\*$/.test(String(resource)));
    expect(statements.length).toBeGreaterThan(closable.size / 2);
    const arn = expect.stringMatching(/^arn:.+:ssm:[^*]+:parameter\/unified-inference\/prod\/maintenance$/);
    for (const statement of statements) expect(statement).toEqual(['Allow', 'ssm:GetParameter', arn]);
  });

  it('needs no parameter in a stack, so that no deployment opens the service', () => {
    for (const stack of STACKS) expect(app.resources(stack, 'AWS::SSM::Parameter')).toEqual([]);
  });
});
