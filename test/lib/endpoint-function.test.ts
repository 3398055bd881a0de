import { describe, expect, it } from '@jest/globals';
import { VARIABLES } from '../../lambdas/contract/environment.ts';
import { type EndpointName, ROUTES } from '../../lambdas/contract/routes.ts';
import { TABLES, type TableName } from '../../lambdas/contract/tables.ts';
import { GRANTS } from '../../lib/config/grants.ts';
import { permissionsOf } from './permissions.ts';
import {
  ENDPOINTS,
  type Resource,
  SERVICE_STACKS,
  type StackName,
  SynthesizedApp,
} from './synthesized-app.ts';

const app = new SynthesizedApp();

interface Deployed {
  readonly stack: StackName;
  readonly endpoint: EndpointName;
  readonly id: string;
  readonly properties: Resource['Properties'];
  readonly roleId: string;
}

const functions: readonly Deployed[] = SERVICE_STACKS.flatMap((stack) =>
  app.resources(stack, 'AWS::Lambda::Function').map(([id, { Properties: properties }]) => ({
    stack,
    endpoint: app.endpointOf(stack, id),
    id,
    properties,
    roleId: app.reference(stack, properties.Role)?.id ?? '',
  })),
);
const named = functions.map((deployed) => [`${deployed.stack} ${deployed.endpoint}`, deployed] as const);

const capitalized = (name: string): string => `${name[0]?.toUpperCase()}${name.slice(1)}`;
const isStreamed = (endpoint: EndpointName): boolean =>
  ROUTES.some((route) => route.endpoint === endpoint && route.response === 'streamed');

describe('the functions', () => {
  it('are one for each route in its stack, and one for unknown routes in each', () => {
    const expected = [
      ...ROUTES.map(({ api, endpoint }) => `${api} ${endpoint}`),
      ...SERVICE_STACKS.map((stack) => `${stack} unknown-route`),
    ];
    expect(named.map(([name]) => name).sort()).toEqual(expected.sort());
  });

  it.each(named)('run Node 24 on arm64 with 512 MB: %s', (_name, { endpoint, properties }) => {
    expect(properties).toMatchObject({
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      MemorySize: 512,
      Handler: 'index.handler',
      Description: `unified-inference-service: ${endpoint}`,
    });
  });

  it.each(named)(
    'may run as long as their integration lets them answer: %s',
    (_name, { endpoint, properties }) => {
      // A buffered integration waits 29 s at most; a function that ends before that can still answer.
      expect(properties.Timeout).toBe(isStreamed(endpoint) ? 900 : 28);
    },
  );

  it.each(named)(
    'keep their logs in a group of their own, for 30 days: %s',
    (_name, { stack, properties }) => {
      const { LogGroup: logGroup } = properties.LoggingConfig as { readonly LogGroup: unknown };
      const { id = '' } = app.reference(stack, logGroup) ?? {};
      const users = functions.filter(
        (other) =>
          app.reference(other.stack, (other.properties.LoggingConfig as { LogGroup: unknown }).LogGroup)
            ?.id === id && other.stack === stack,
      );
      expect(users).toHaveLength(1);
      expect(app.templates[stack].Resources[id]).toMatchObject({
        Type: 'AWS::Logs::LogGroup',
        Properties: { RetentionInDays: 30 },
      });
    },
  );
});

describe('the role of a function', () => {
  it.each(named)('is its own, and only Lambda takes it: %s', (_name, { stack, roleId }) => {
    expect(functions.filter((other) => other.stack === stack && other.roleId === roleId)).toHaveLength(1);
    const role = app.templates[stack].Resources[roleId]?.Properties;
    expect(role?.ManagedPolicyArns).toBeUndefined();
    expect(role?.AssumeRolePolicyDocument).toEqual({
      Version: '2012-10-17',
      Statement: [
        { Action: 'sts:AssumeRole', Effect: 'Allow', Principal: { Service: 'lambda.amazonaws.com' } },
      ],
    });
  });

  it.each(named)(
    'allows what the grants list, and nothing else: %s',
    (_name, { stack, endpoint, roleId }) => {
      const { tables = {}, keyPepper, providerSecrets } = GRANTS[endpoint];
      const logs = `${stack}:${endpoint.replaceAll('-', '')}Logs.Arn`;
      const expected = [
        `logs:CreateLogStream ${logs}`,
        `logs:PutLogEvents ${logs}`,
        ...Object.entries(tables).flatMap(([table, actions]) =>
          actions.map((action) => `dynamodb:${action} data:${capitalized(table)}.Arn`),
        ),
        ...(keyPepper ? ['secretsmanager:GetSecretValue data:KeyPepper.Ref'] : []),
        ...(providerSecrets
          ? [
              'secretsmanager:GetSecretValue arn:<AWS::Partition>:secretsmanager:<AWS::Region>:<AWS::AccountId>:secret:prod/providers/*',
            ]
          : []),
      ];
      expect(permissionsOf(app, stack, roleId)).toEqual(expected.sort());
    },
  );

  it('has a wildcard only where the catalog names secrets at run time', () => {
    const wild = functions.flatMap(({ stack, endpoint, roleId }) =>
      permissionsOf(app, stack, roleId)
        .filter((permission) => permission.includes('*'))
        .map((permission) => `${endpoint}: ${permission.split(' ')[0]}`),
    );
    expect(wild).toEqual(['create-chat-completion: secretsmanager:GetSecretValue']);
  });

  it('is the only kind of role beside the one API Gateway writes its logs by', () => {
    for (const stack of SERVICE_STACKS) {
      const ofFunctions = functions
        .filter((deployed) => deployed.stack === stack)
        .map(({ roleId }) => roleId);
      const others = app.resources(stack, 'AWS::IAM::Role').filter(([id]) => !ofFunctions.includes(id));
      expect(others.map(([, { Properties }]) => Properties.AssumeRolePolicyDocument)).toEqual([
        expect.objectContaining({
          Statement: [expect.objectContaining({ Principal: { Service: 'apigateway.amazonaws.com' } })],
        }),
      ]);
    }
    expect(app.resources('data', 'AWS::IAM::Role')).toEqual([]);
  });
});

describe('the environment of a function', () => {
  it.each(named)(
    'names the tables and secrets that its role reaches: %s',
    (_name, { stack, endpoint, properties }) => {
      const { Variables: variables } = properties.Environment as {
        readonly Variables: Record<string, unknown>;
      };
      const { tables = {}, keyPepper, holds } = GRANTS[endpoint];
      const reference = (name: string) => {
        const found = app.reference(stack, variables[name]);
        return found === undefined
          ? variables[name]
          : `${found.stack}:${found.id.replace(/[0-9A-F]{8}$/, '')}`;
      };
      const expected: Record<string, string> = { POWERTOOLS_SERVICE_NAME: endpoint };
      for (const table of Object.keys(tables) as TableName[])
        expected[TABLES[table].variable] = `data:${capitalized(table)}`;
      if (keyPepper) expected[VARIABLES.keyPepperSecret] = 'data:KeyPepper';
      if (holds) expected[VARIABLES.holdTtlSeconds] = '1200';
      expect(Object.fromEntries(Object.keys(variables).map((name) => [name, reference(name)]))).toEqual(
        expected,
      );
    },
  );
});

describe('the grants', () => {
  it('have a row for each endpoint', () => {
    expect(Object.keys(GRANTS).sort()).toEqual([...ENDPOINTS].sort());
  });
});
