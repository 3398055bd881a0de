import { describe, expect, it } from '@jest/globals';
import { ROUTES } from '../../../lambdas/app/routes.ts';
import { openCallsOf } from '../../../lambdas/platform/contract/inference-host.ts';
import { permissionsOf } from '../../../test/template/permissions.ts';
import { SERVICE_STACKS, SynthesizedApp } from '../../../test/template/synthesized-app.ts';

const standard = new SynthesizedApp();

type HostType = 'web-function' | 'fargate';

/** The region, where the settings name it, as the templates without it have it. */
const anywhere = (text: string): string => text.replaceAll('eu-central-1', '<AWS::Region>');

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

function environmentOf(app: SynthesizedApp, name: HostType): Readonly<Record<string, unknown>> {
  if (name === 'web-function') {
    const { ServiceConfig: config } = app.only('ingress', 'AWS::Lambda::WebFunctionRevision').Properties;
    return Object(config).EnvironmentVariables;
  }
  const { ContainerDefinitions: containers } = app.only('ingress', 'AWS::ECS::TaskDefinition').Properties;
  const [{ Environment: variables }] = containers as [{ Environment: { Name: string; Value: unknown }[] }];
  return Object.fromEntries(variables.map(({ Name, Value }) => [Name, Value]));
}

const isHostRole = ([id]: readonly [string, unknown]) =>
  /^Inference(Tasks|Function)Role[0-9A-F]{8}$/.test(id);

describe.each<HostType>(['web-function', 'fargate'])('the shared host under %s', (name) => {
  const app = new SynthesizedApp(name);
  const [[roleId, role] = ['', undefined]] = app.resources('ingress', 'AWS::IAM::Role').filter(isHostRole);
  const permissions = permissionsOf(app, 'ingress', roleId).map(anywhere);

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
      .filter(([id]) => /^Inference(Tasks|Function)Logs/.test(id));
    expect(permissions.filter((permission) => permission.startsWith('logs:'))).toEqual(
      ['logs:CreateLogStream', 'logs:PutLogEvents'].map(
        (action) => `${action} ingress:${logs.replace(/[0-9A-F]{8}$/, '')}.Arn`,
      ),
    );
    expect(app.templates.ingress.Resources[logs]?.Properties).toMatchObject({ RetentionInDays: 30 });
  });

  it('runs in a role that only one AWS service can assume', () => {
    const service = name === 'fargate' ? 'ecs-tasks.amazonaws.com' : 'lambda.amazonaws.com';
    expect(role?.Properties.AssumeRolePolicyDocument).toMatchObject({
      Statement: [{ Action: 'sts:AssumeRole', Effect: 'Allow', Principal: { Service: service } }],
    });
  });

  it('receives the variables of all functions of its routes, and its number of concurrent calls', () => {
    const isDefined = new Set(functions.flatMap(({ variables }) => Object.keys(variables)));
    const {
      PORT: _port,
      AWS_REGION: _region,
      AWS_LAMBDA_NODEJS_ENTRYPOINT: _entry,
      ...environment
    } = environmentOf(app, name);
    expect(Object.keys(environment).sort()).toEqual([...isDefined, 'HOST_OPEN_CALLS'].sort());
    expect(environment.POWERTOOLS_SERVICE_NAME).toBe('inference-host');
    const { HOST_OPEN_CALLS: maxOpenCalls } = environment;
    expect(openCallsOf({ HOST_OPEN_CALLS: String(maxOpenCalls) })).toBe(name === 'fargate' ? 1000 : 128);
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

  it('refers to other stacks by imports alone, also where the construct repeats its configuration', () => {
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

describe('the shared host as a Web Function', () => {
  const revision = new SynthesizedApp('web-function').only('ingress', 'AWS::Lambda::WebFunctionRevision');

  it('takes as many calls in an environment as Lambda sends, for as long as a route may take', () => {
    expect(revision.Properties.ServiceConfig).toMatchObject({
      MaxConcurrencyPerEnvironment: 128,
      TimeoutSeconds: 900,
    });
  });

  it('holds the same permissions under the feature flags of the CDK CLI', () => {
    const [plain, flagged] = (['web-function', 'web-function-flags'] as const).map((name) => {
      const app = new SynthesizedApp(name);
      const [[roleId = ''] = []] = app.resources('ingress', 'AWS::IAM::Role').filter(isHostRole);
      return permissionsOf(app, 'ingress', roleId).map((permission) =>
        permission.replaceAll('<AWS::Partition>', 'aws'),
      );
    });
    expect(flagged?.length).toBeGreaterThan(20);
    expect(flagged).toEqual(plain);
  });

  it('takes no call before its role may do its work', () => {
    expect(revision.DependsOn).toEqual(
      expect.arrayContaining([expect.stringMatching(/^InferenceFunctionRole[0-9A-F]{8}$/)]),
    );
  });
});
