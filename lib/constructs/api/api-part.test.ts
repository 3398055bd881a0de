import { describe, expect, it } from '@jest/globals';
import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { open, type Route } from '../../../lambdas/platform/contract/route.ts';
import { parseConfig } from '../../config/config.ts';
import { ApiPart } from './api-part.ts';
import { EndpointApi } from './endpoint-api.ts';

const route = (method: Route['method'], path: `/${string}`): Route =>
  open(`${method} ${path}`, 'list-things', 'a test');

const OUTSIDE = [route('GET', '/api/v1/keys')];
const INSIDE = [route('GET', '/things'), route('GET', '/things/{id}'), route('GET', '/api/v1/things')];

/** The stack of an API with these routes, and the nested stack of its part. */
function synthesize(inside: readonly Route[], outside = OUTSIDE) {
  const stack = new Stack(new App(), 'Platform');
  const options = { runtime: Runtime.NODEJS_24_X, handler: 'index.handler', code: Code.fromInline('0') };
  const fallback = new LambdaFunction(stack, 'Fallback', options);
  const config = parseConfig({});
  const api = new EndpointApi(stack, 'Api', {
    config,
    name: 'platform',
    domainName: undefined,
    fallback,
    routes: outside,
  });
  const part = new ApiPart(stack, 'Part', { api, fallback, others: outside });
  for (const each of outside) api.addRoute(each, fallback);
  const target = new LambdaFunction(part, 'Things', options);
  for (const each of inside) part.addRoute(each, target);
  return { api: Template.fromStack(stack), part: Template.fromStack(part) };
}

const deploymentOf = (stacks: ReturnType<typeof synthesize>) =>
  Object.entries(stacks.api.findResources('AWS::ApiGateway::Deployment'))[0] ?? [];

const pathPartsOf = (template: Template): readonly string[] =>
  Object.values(template.findResources('AWS::ApiGateway::Resource')).map(
    ({ Properties }) => Properties.PathPart,
  );

describe('a part of an API', () => {
  const stacks = synthesize(INSIDE);

  it('puts its paths and methods into the nested stack, below what other routes begin with', () => {
    expect(pathPartsOf(stacks.api).toSorted()).toEqual(['api', 'keys', 'v1', '{proxy+}']);
    expect(pathPartsOf(stacks.part).toSorted()).toEqual(['things', 'things', '{id}']);
    stacks.part.resourceCountIs('AWS::ApiGateway::Method', 2 * INSIDE.length);
    stacks.part.resourceCountIs('AWS::ApiGateway::Deployment', 0);
  });

  it('delays the deployment of the API until it is complete', () => {
    const [nested = 'none'] = Object.keys(stacks.api.findResources('AWS::CloudFormation::Stack'));
    expect(deploymentOf(stacks)[1]?.DependsOn).toContain(nested);
  });

  it.each([
    ['another path', [...INSIDE, route('GET', '/more')]],
    ['another method', [...INSIDE, route('POST', '/things')]],
    ['one path less', INSIDE.slice(1)],
    ['another integration', INSIDE.map((each) => ({ ...each, response: 'streamed' }) as const)],
  ])('causes another deployment of the API with %s', (_, changed) => {
    const [before] = deploymentOf(stacks);
    expect(before).toEqual(expect.any(String));
    expect(deploymentOf(synthesize(changed))[0]).not.toBe(before);
  });

  it('causes no other deployment of the API without a change', () => {
    expect(deploymentOf(synthesize(INSIDE))[0]).toBe(deploymentOf(stacks)[0]);
  });

  it('takes no path that is also one of the rest of the API', () => {
    expect(() => synthesize([route('POST', '/api/v1/keys')])).toThrow('/api/v1/keys is also a path outside');
  });
});
