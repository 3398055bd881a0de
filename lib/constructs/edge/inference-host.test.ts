import { describe, expect, it } from '@jest/globals';
import { ROUTES } from '../../../lambdas/app/routes.ts';
import { permissionsOf } from '../../../test/template/permissions.ts';
import { SERVICE_STACKS, SynthesizedApp } from '../../../test/template/synthesized-app.ts';

const standard = new SynthesizedApp();

/** Every function of the inference API, with its role. */
const functions = standard
  .resources('inference', 'AWS::Lambda::Function')
  .map(([id, { Properties }]) => ({
    name: standard.functionName('inference', id),
    roleId: standard.reference('inference', Properties.Role)?.id ?? '',
    variables: Object(Properties.Environment).Variables as Readonly<Record<string, unknown>>,
  }))
  .filter(({ name }) => ROUTES.some(({ api, endpoint }) => api === 'inference' && endpoint === name));

/** The permissions of all these functions together, except for their logs. */
const permitted = [
  ...new Set(functions.flatMap(({ roleId }) => permissionsOf(standard, 'inference', roleId))),
].filter((permission) => !permission.startsWith('logs:'));

/** The permissions of leases, which only the host has: records in batches. */
const ofLeases = permitted
  .filter((permission) => /^dynamodb:PutItem .*Usage/.test(permission))
  .map((permission) => permission.replace('PutItem', 'BatchWriteItem'));

function environmentOf(app: SynthesizedApp): Readonly<Record<string, unknown>> {
  const { ContainerDefinitions: containers } = app.only('ingress', 'AWS::ECS::TaskDefinition').Properties;
  const [{ Environment: variables }] = containers as [{ Environment: { Name: string; Value: unknown }[] }];
  return Object.fromEntries(variables.map(({ Name, Value }) => [Name, Value]));
}

const isHostRole = ([id]: readonly [string, unknown]) => /^InferenceTasksRole[0-9A-F]{8}$/.test(id);

describe('the shared host', () => {
  const app = new SynthesizedApp('fargate');
  const [[roleId, role] = ['', undefined]] = app.resources('ingress', 'AWS::IAM::Role').filter(isHostRole);
  const permissions = permissionsOf(app, 'ingress', roleId);

  it('holds exactly the permissions of the functions of its routes and of leases, statement by statement', () => {
    expect(functions.length).toBe(
      new Set(ROUTES.filter(({ api }) => api === 'inference').map(({ endpoint }) => endpoint)).size,
    );
    expect(permitted.length).toBeGreaterThan(20);
    expect(permissions.filter((permission) => !permission.startsWith('logs:'))).toEqual(
      [...permitted, ...ofLeases].sort(),
    );
    expect(ofLeases).toHaveLength(1);
  });

  it('writes to a separate log group, with the retention of the others', () => {
    const [[logs = ''] = []] = app
      .resources('ingress', 'AWS::Logs::LogGroup')
      .filter(([id]) => /^InferenceTasksLogs/.test(id));
    expect(permissions.filter((permission) => permission.startsWith('logs:'))).toEqual(
      ['logs:CreateLogStream', 'logs:PutLogEvents'].map(
        (action) => `${action} ingress:${logs.replace(/[0-9A-F]{8}$/, '')}.Arn`,
      ),
    );
    expect(app.templates.ingress.Resources[logs]?.Properties).toMatchObject({ RetentionInDays: 30 });
  });

  it('runs in a role that only one AWS service can assume', () => {
    expect(role?.Properties.AssumeRolePolicyDocument).toMatchObject({
      Statement: [
        { Action: 'sts:AssumeRole', Effect: 'Allow', Principal: { Service: 'ecs-tasks.amazonaws.com' } },
      ],
    });
  });

  it('receives the variables of all functions of its routes, and no others', () => {
    const isDefined = new Set(functions.flatMap(({ variables }) => Object.keys(variables)));
    const { PORT: _port, AWS_REGION: _region, ...environment } = environmentOf(app);
    expect(Object.keys(environment).sort()).toEqual([...isDefined].sort());
    expect(environment.POWERTOOLS_SERVICE_NAME).toBe('inference-host');
  });

  it('leaves the functions and their addresses unchanged', () => {
    for (const stack of SERVICE_STACKS) {
      for (const type of ['AWS::Lambda::Function', 'AWS::ApiGateway::Method', 'AWS::ApiGateway::Stage']) {
        // The scheduled smoke test exists by default only with a shared host.
        const ids = (of: SynthesizedApp) =>
          of
            .resources(stack, type)
            .map(([id]) => id)
            .filter((id) => !id.startsWith('ScheduledSmoke'));
        expect(ids(app)).toEqual(ids(standard));
      }
    }
  });

  it('refers to other stacks by imports alone', () => {
    const { Resources: resources } = app.templates.ingress;
    const isDefined = (id: string) => id in resources || id.startsWith('AWS::') || id === 'BootstrapVersion';
    const references = [...JSON.stringify(resources).matchAll(/"(?:Ref":|Fn::GetAtt":\[)"([^"]+)"/g)];
    expect(references.length).toBeGreaterThan(10);
    expect(references.map(([, id = '']) => id).filter((id) => !isDefined(id))).toEqual([]);
    expect(JSON.stringify(resources)).not.toContain('"Fn::ImportValue":"Inference-prod-ingress');
  });
});

describe('the functions of the routes', () => {
  it('differ in their permissions, so that none of their roles is the union by chance', () => {
    const missing = functions.map(({ roleId }) => {
      const rolePermissions = permissionsOf(standard, 'inference', roleId);
      return permitted.filter((permission) => !rolePermissions.includes(permission));
    });
    expect(missing.filter((permissions) => permissions.length === 0)).toEqual([]);
  });
});

describe('the shared host under the feature flags of the CDK CLI', () => {
  it('holds the same permissions', () => {
    const [plain, flagged] = (['fargate', 'fargate-flags'] as const).map((name) => {
      const app = new SynthesizedApp(name);
      const [[roleId = ''] = []] = app.resources('ingress', 'AWS::IAM::Role').filter(isHostRole);
      return permissionsOf(app, 'ingress', roleId).map((permission) =>
        permission.replaceAll('<AWS::Partition>', 'aws'),
      );
    });
    expect(flagged?.length).toBeGreaterThan(20);
    expect(flagged).toEqual(plain);
  });
});
