/** Describes the REST APIs of an assembly: routes, gateway responses and what stands in front of each. */

import { REGION } from '../intrinsics.ts';
import type { LocatedResource, Stacks } from '../stacks.ts';
import { describeGatewayResponses, type GatewayResponse } from './gateway-responses.ts';
import { describeRateRules, type RateRule } from './web-acls.ts';

export interface RestApi {
  readonly id: string;
  readonly stage: string;
  readonly binaryMediaTypes: readonly string[];
  readonly routes: readonly ApiRoute[];
  readonly gatewayResponses: readonly GatewayResponse[];
  readonly rateRules: readonly RateRule[];
}

export interface ApiRoute {
  /** An HTTP method or `ANY`. */
  readonly method: string;
  /** Such as `/v1/models/{model+}`. */
  readonly resourcePath: string;
  readonly resourceId: string;
  readonly functionArn: string;
  readonly transfer: 'buffered' | 'stream';
  /** The timeout after which the gateway stops waiting for the function. */
  readonly timeoutMs: number;
}

interface MethodProperties {
  readonly RestApiId: string;
  readonly ResourceId: string;
  readonly HttpMethod: string;
  readonly AuthorizationType?: string;
  readonly Integration: Integration;
}

interface Integration {
  readonly Type: string;
  readonly Uri?: string;
  readonly ResponseTransferMode?: string;
  readonly TimeoutInMillis?: number;
}

interface ResourceProperties {
  readonly ParentId: string;
  readonly PathPart: string;
}

/** API Gateway developer guide, quotas: the integration timeout where a template sets none. */
const DEFAULT_TIMEOUT_MS = 29_000;

/** `arn:aws:apigateway:<region>:lambda:path/<version>/functions/<function ARN>/<action>`. */
const INTEGRATION_URI = /\/functions\/(arn:[^/]+)\/(?:response-streaming-)?invocations$/;

export function describeRestApis(stacks: Stacks): readonly RestApi[] {
  const pathOf = resourcePaths(stacks);
  const rules = describeRateRules(stacks);
  const methods = stacks.resources('AWS::ApiGateway::Method');
  return stacks.resources('AWS::ApiGateway::RestApi').map((api) => {
    const id = api.identity.ref;
    const stage = stageName(stacks, api);
    return {
      id,
      stage,
      binaryMediaTypes: api.properties<{ BinaryMediaTypes?: string[] }>().BinaryMediaTypes ?? [],
      routes: methods.flatMap((method) => describeMethod(method, id, pathOf)),
      gatewayResponses: describeGatewayResponses(stacks, id),
      rateRules: rules.get(`arn:aws:apigateway:${REGION}::/restapis/${id}/stages/${stage}`) ?? [],
    };
  });
}

function stageName(stacks: Stacks, api: LocatedResource): string {
  const id = api.identity.ref;
  const stages = stacks
    .resources('AWS::ApiGateway::Stage')
    .map((stage) => stage.properties<{ RestApiId: string; StageName: string }>());
  const names = stages.filter(({ RestApiId }) => RestApiId === id).map(({ StageName }) => StageName);
  const [name] = names;
  if (name === undefined || names.length > 1) {
    throw new Error(`${api.location}: expected one stage, got ${names.length}`);
  }
  return name;
}

/** Returns a lookup of the full path of a resource by its id; the root of each API is `/`. */
function resourcePaths(stacks: Stacks): (id: string) => string {
  const roots = stacks
    .resources('AWS::ApiGateway::RestApi')
    .map((api) => String(api.identity.attributes.RootResourceId));
  const resources = new Map(
    stacks
      .resources('AWS::ApiGateway::Resource')
      .map((resource) => [resource.identity.ref, resource.properties<ResourceProperties>()]),
  );
  const prefixOf = (id: string): string => {
    if (roots.includes(id)) return '';
    const resource = resources.get(id);
    if (resource === undefined) throw new Error(`no stack defines the API resource ${id}`);
    return `${prefixOf(resource.ParentId)}/${resource.PathPart}`;
  };
  return (id) => prefixOf(id) || '/';
}

function describeMethod(
  resource: LocatedResource,
  apiId: string,
  pathOf: (resourceId: string) => string,
): readonly ApiRoute[] {
  const method = resource.properties<MethodProperties>();
  if (method.RestApiId !== apiId) return [];
  const { location } = resource;
  const { Integration } = method;
  const target = INTEGRATION_URI.exec(Integration.Uri ?? '');
  if (Integration.Type !== 'AWS_PROXY' || target?.[1] === undefined) {
    throw new Error(
      `${location}: the local gateway knows Lambda proxy integrations only, not ${Integration.Type}`,
    );
  }
  if ((method.AuthorizationType ?? 'NONE') !== 'NONE') {
    throw new Error(
      `${location}: the local gateway does not know the authorization type ${method.AuthorizationType}`,
    );
  }
  return [
    {
      method: method.HttpMethod,
      resourcePath: pathOf(method.ResourceId),
      resourceId: method.ResourceId,
      functionArn: target[1],
      transfer: Integration.ResponseTransferMode === 'STREAM' ? 'stream' : 'buffered',
      timeoutMs: Number(Integration.TimeoutInMillis ?? DEFAULT_TIMEOUT_MS),
    },
  ];
}
