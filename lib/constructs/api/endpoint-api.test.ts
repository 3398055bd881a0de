import { describe, expect, it } from '@jest/globals';
import { ROUTES, UNKNOWN_ROUTE_ENDPOINT } from '../../../lambdas/app/routes.ts';
import {
  GATEWAY_ERRORS,
  gatewayErrorBody,
  IP_RATE_ERROR,
} from '../../../lambdas/platform/contract/gateway-errors.ts';
import { policiesOf } from '../../../test/template/permissions.ts';
import { invocationOf, type Method, methodsOf } from '../../../test/template/rest-apis.ts';
import { joined, SERVICE_STACKS, SynthesizedApp } from '../../../test/template/synthesized-app.ts';

const app = new SynthesizedApp();
const methods = { inference: methodsOf(app, 'inference'), platform: methodsOf(app, 'platform') };

const findRoute = (stack: 'inference' | 'platform', method: string, path: string) =>
  methods[stack].find((candidate) => candidate.method === method && candidate.path === path);

describe.each(SERVICE_STACKS)('the REST API of the %s stack', (stack) => {
  it('uses a regional endpoint, because an edge-optimized one cuts streams that are idle for 30 s', () => {
    const { Properties: api } = app.only(stack, 'AWS::ApiGateway::RestApi');
    expect(api.EndpointConfiguration).toEqual({ Types: ['REGIONAL'] });
    expect(api.Name).toBe(`prod-${stack}`);
    expect(api).not.toHaveProperty('DisableExecuteApiEndpoint');
  });

  it('contains the routes of the table, each with the fallback for its other methods, and nothing else', () => {
    const routes = ROUTES.filter(({ api }) => api === stack);
    const expected = [
      ...routes.map(({ method, path, endpoint }) => `${method} ${path} ${endpoint}`),
      ...new Set(
        ['/', ...routes.map(({ path }) => path)].map((path) => `ANY ${path} ${UNKNOWN_ROUTE_ENDPOINT}`),
      ),
      `ANY /{proxy+} ${UNKNOWN_ROUTE_ENDPOINT}`,
    ];
    const routeLines = methods[stack].map(({ method, path, endpoint }) => `${method} ${path} ${endpoint}`);
    expect(routeLines.sort()).toEqual(expected.sort());
  });

  it('leaves authorization to the functions, which respond in the envelope', () => {
    expect(methods[stack].filter(({ authorization }) => authorization !== 'NONE')).toEqual([]);
  });

  it('calls its functions in separate roles, one for each part, which can call nothing else', () => {
    const roleOf = ({ integration }: Method) => app.reference(stack, integration.Credentials)?.id ?? 'none';
    const roles = new Set(methods[stack].map(roleOf));
    expect(roles.size).toBe(stack === 'platform' ? 2 : 1);
    for (const role of roles) {
      const { Properties: properties } = app.templates[stack].Resources[role] ?? {};
      expect(Object(properties?.AssumeRolePolicyDocument).Statement).toEqual([
        {
          Effect: 'Allow',
          Action: 'sts:AssumeRole',
          Principal: { Service: 'apigateway.amazonaws.com' },
        },
      ]);
      const [[, statements] = [], ...otherPolicies] = policiesOf(app, stack).filter(([id]) => id === role);
      expect([statements?.length, otherPolicies]).toEqual([1, []]);
      const [{ Action: action, Resource: resources } = { Action: '', Resource: [] }] = statements ?? [];
      expect(action).toBe('lambda:InvokeFunction');
      const called = methods[stack].filter((method) => roleOf(method) === role);
      const arns = called.map(({ functionId }) => `<${functionId}.Arn>`);
      expect((resources as unknown[]).map(joined).sort()).toEqual([...new Set(arns)].sort());
    }
  });

  it('needs no permission at any function, of which each would be a resource of the stack', () => {
    const permissions = app.properties(stack, 'AWS::Lambda::Permission');
    const principals = permissions.map(({ Principal: principal }) => principal);
    expect(principals).not.toContain('apigateway.amazonaws.com');
  });

  it('stays within the IAM quota for its role policy, with the longest names of stage and region', () => {
    const longest = `arn:aws-us-gov:lambda:us-gov-west-1:${'1'.repeat(12)}:function:${'s'.repeat(20)}`;
    const functions = new Set(methods[stack].map(({ endpoint }) => endpoint));
    const arns = [...functions].map((name) => `${longest}-${stack}-${name}`);
    // IAM and STS quotas: the inline policies of a role, without white space.
    expect(JSON.stringify(arns).length + 200).toBeLessThan(10_240);
  });

  it('deploys only after all of its methods and gateway responses', () => {
    const { Resources: resources } = app.templates[stack];
    const [deployment] = app.resources(stack, 'AWS::ApiGateway::Deployment');
    const dependsOn = deployment?.[1].DependsOn ?? [];
    const isRequired = (id: string) =>
      /^AWS::ApiGateway::(Method|Resource|GatewayResponse)$/.test(resources[id]?.Type ?? '');
    // All that a nested stack has comes before it, too.
    expect(dependsOn.filter(isRequired).sort()).toEqual(Object.keys(resources).filter(isRequired).sort());
  });

  it('logs each access without what could hold a key: path, query, headers, body', () => {
    const { Properties: stage } = app.only(stack, 'AWS::ApiGateway::Stage');
    const setting = stage.AccessLogSetting as { readonly Format: string; readonly DestinationArn: unknown };
    const logged = Object.values(JSON.parse(setting.Format) as Record<string, string>);
    const harmless = new Set([
      'requestId',
      'extendedRequestId',
      'integration.requestId',
      'requestTime',
      'httpMethod',
      'resourcePath',
      'status',
      'error.responseType',
      'responseLength',
      'responseLatency',
      'integrationLatency',
    ]);
    expect(logged.filter((value) => !harmless.has(value.replace('$context.', '')))).toEqual([]);
    const logGroup = app.reference(stack, setting.DestinationArn);
    expect(app.templates[stack].Resources[logGroup?.id ?? '']).toMatchObject({
      Type: 'AWS::Logs::LogGroup',
      Properties: { RetentionInDays: 30 },
    });
  });

  it('writes no execution logs, which hold headers and bodies, and no metrics of each method, which are billed', () => {
    const { Properties: stage } = app.only(stack, 'AWS::ApiGateway::Stage');
    expect(stage.MethodSettings).toEqual([
      {
        DataTraceEnabled: false,
        HttpMethod: '*',
        ResourcePath: '/*',
        MetricsEnabled: false,
        ThrottlingRateLimit: 1000,
        ThrottlingBurstLimit: 1000,
      },
    ]);
  });
});

describe('the integration of a route', () => {
  it.each(ROUTES.map((route) => [`${route.method} ${route.path}`, route] as const))(
    'passes the complete request to a function, streamed or buffered as the table specifies: %s',
    (_name, { api, method, path, response }) => {
      const integration = findRoute(api, method, path)?.integration;
      expect(integration).toMatchObject({ Type: 'AWS_PROXY', IntegrationHttpMethod: 'POST' });
      expect(invocationOf(joined(integration?.Uri)).streamed).toBe(response === 'streamed');
      // API Gateway's limit of a streamed answer is 15 minutes; a buffered one has its default of 29 seconds.
      expect(integration?.ResponseTransferMode).toBe(response === 'streamed' ? 'STREAM' : undefined);
      expect(integration?.TimeoutInMillis).toBe(response === 'streamed' ? 900_000 : undefined);
    },
  );

  it('buffers the fallback on every path', () => {
    const fallbacks = [...methods.inference, ...methods.platform].filter(({ method }) => method === 'ANY');
    const streaming = fallbacks.filter(({ integration }) => invocationOf(joined(integration.Uri)).streamed);
    expect(streaming).toEqual([]);
  });
});

/** Checks the fields of an error body that the two official SDK families read. */
function expectBothEnvelopes(text: string, code: string, type: string): void {
  expect(JSON.parse(text)).toMatchObject({
    type: 'error',
    error: { message: expect.stringMatching(/\S/), type, code, param: null },
  });
}

describe.each(SERVICE_STACKS)('the errors that API Gateway makes in the %s stack', (stack) => {
  const responses = app.properties(stack, 'AWS::ApiGateway::GatewayResponse');

  it('match those of the contract', () => {
    const expected = GATEWAY_ERRORS.map(({ responseType }) => responseType);
    expect(responses.map(({ ResponseType }) => ResponseType).sort()).toEqual([...expected].sort());
  });

  it.each(GATEWAY_ERRORS.map((error) => [error.responseType, error] as const))(
    'use the status and headers of the contract, and an envelope that both SDK families read: %s',
    (responseType, error) => {
      const response = responses.find((candidate) => candidate.ResponseType === responseType);
      expect(response?.StatusCode).toBe(error.status === undefined ? undefined : String(error.status));
      const template = Object(response?.ResponseTemplates)['application/json'] as string;
      const body = template.replaceAll('$context.requestId', 'c6af9ac6-7b61-11e6-9a41-93e8deadbeef');
      expect(body).not.toContain('$');
      expectBothEnvelopes(body, error.code, error.type);
      expect(JSON.parse(body)).toMatchObject({ request_id: 'c6af9ac6-7b61-11e6-9a41-93e8deadbeef' });
      expect(response?.ResponseParameters).toEqual({
        'gatewayresponse.header.x-request-id': 'context.requestId',
        'gatewayresponse.header.request-id': 'context.requestId',
        'gatewayresponse.header.strict-transport-security': "'max-age=31536000'",
        'gatewayresponse.header.x-content-type-options': "'nosniff'",
        ...(error.retryAfterSeconds === undefined
          ? {}
          : { 'gatewayresponse.header.Retry-After': `'${error.retryAfterSeconds}'` }),
      });
    },
  );
});

describe('the limit of one IP address', () => {
  const { Properties: acl } = app.only('inference', 'AWS::WAFv2::WebACL');
  const [rule] = acl.Rules as readonly Record<string, unknown>[];

  it('consists of one rate rule of 200 requests in 60 seconds', () => {
    expect(acl).toMatchObject({ Scope: 'REGIONAL', DefaultAction: { Allow: {} } });
    expect(acl.Rules).toHaveLength(1);
    expect(rule?.Statement).toEqual({
      RateBasedStatement: { AggregateKeyType: 'IP', Limit: 200, EvaluationWindowSec: 60 },
    });
  });

  it('returns 429 in the envelope, with Retry-After', () => {
    const {
      ResponseCode: status,
      CustomResponseBodyKey: key,
      ResponseHeaders: headers,
    } = Object(rule?.Action).Block.CustomResponse as Record<string, unknown>;
    expect(status).toBe(429);
    expect(headers).toEqual([{ Name: 'Retry-After', Value: '60' }]);
    const bodies = acl.CustomResponseBodies as Record<string, { ContentType: string; Content: string }>;
    const body = bodies[String(key)];
    expect(body?.ContentType).toBe('APPLICATION_JSON');
    expectBothEnvelopes(body?.Content ?? '', 'ip_requests_per_minute', 'rate_limit_error');
    expect(body?.Content).toBe(gatewayErrorBody(IP_RATE_ERROR));
  });

  it('logs the addresses that it blocks, and no field that can contain a credential', () => {
    const { Properties: logging } = app.only('inference', 'AWS::WAFv2::LoggingConfiguration');
    expect(logging.RedactedFields).toEqual([
      { UriPath: {} },
      { QueryString: {} },
      ...['authorization', 'x-api-key', 'cookie', 'x-origin-secret'].map((Name) => ({
        SingleHeader: { Name },
      })),
    ]);
    expect(logging.LoggingFilter).toMatchObject({
      DefaultBehavior: 'DROP',
      Filters: [{ Behavior: 'KEEP', Conditions: [{ ActionCondition: { Action: 'BLOCK' } }] }],
    });
    const groups = app.properties('inference', 'AWS::Logs::LogGroup');
    expect(groups.map(({ LogGroupName: name }) => name)).toContain('aws-waf-logs-prod-regional');
  });

  it('samples no requests, because samples contain headers', () => {
    expect(acl.VisibilityConfig).toMatchObject({ SampledRequestsEnabled: false });
    expect(rule?.VisibilityConfig).toMatchObject({ SampledRequestsEnabled: false });
  });

  it.each(SERVICE_STACKS)(
    'covers both APIs with one budget: it protects the stage of the %s stack',
    (stack) => {
      const { Properties: association } = app.only(stack, 'AWS::WAFv2::WebACLAssociation');
      const [[apiId] = []] = app.resources(stack, 'AWS::ApiGateway::RestApi');
      const [[stageId] = []] = app.resources(stack, 'AWS::ApiGateway::Stage');
      expect(joined(association.ResourceArn)).toBe(
        `arn:<AWS::Partition>:apigateway:<AWS::Region>::/restapis/<${apiId}>/stages/<${stageId}>`,
      );
      const reference = app.reference(stack, association.WebACLArn);
      expect(reference).toMatchObject({ stack: 'inference', attribute: 'Arn' });
      expect(app.templates.inference.Resources[reference?.id ?? '']?.Type).toBe('AWS::WAFv2::WebACL');
    },
  );
});
