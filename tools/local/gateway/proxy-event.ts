/**
 * Builds the event that a Lambda proxy integration of a REST API receives.
 * Source: API Gateway developer guide, input format of a Lambda function for proxy integration.
 */
import type { IncomingMessage } from 'node:http';
import type { APIGatewayEventIdentity, APIGatewayProxyEvent } from 'aws-lambda';
import { ACCOUNT_ID, REGION } from '../assembly/intrinsics.ts';
import type { GatewayRequestContext } from './request-context.ts';
import type { GatewayMatch } from './router.ts';

/** API Gateway drops them on the way to a function (developer guide, important notes, header table). */
const DROPPED_HEADERS = new Set([
  'connection',
  'content-md5',
  'expect',
  'keep-alive',
  'max-forwards',
  'proxy-authenticate',
  'proxy-connection',
  'server',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'www-authenticate',
]);

export interface ProxyEventOptions {
  readonly match: GatewayMatch;
  readonly request: IncomingMessage;
  readonly context: GatewayRequestContext;
  readonly body: Buffer;
}

export function createProxyEvent({ match, request, context, body }: ProxyEventOptions): APIGatewayProxyEvent {
  const { api, route, pathParameters } = match;
  const multiValueHeaders = collectHeaders(request, context);
  const binary = isBinary(api.binaryMediaTypes, request.headers['content-type']);
  const query = collectQuery(context.query);
  return {
    resource: route.resourcePath,
    path: context.path,
    httpMethod: context.method,
    headers: lastValues(multiValueHeaders),
    multiValueHeaders,
    queryStringParameters: query && lastValues(query),
    multiValueQueryStringParameters: query,
    pathParameters: Object.keys(pathParameters).length === 0 ? null : { ...pathParameters },
    stageVariables: null,
    requestContext: createContext(match, request, context),
    body: body.length === 0 ? null : body.toString(binary ? 'base64' : 'utf8'),
    isBase64Encoded: binary && body.length > 0,
  };
}

/** Returns whether a media type is among an API's binary ones, which may end in a wildcard. */
export function isBinary(binaryMediaTypes: readonly string[], contentType: string | undefined): boolean {
  const [type = ''] = (contentType ?? '').split(';', 1);
  const [main = ''] = type.trim().toLowerCase().split('/', 1);
  return binaryMediaTypes.some((binary) =>
    ['*/*', `${main}/*`, type.trim().toLowerCase()].includes(binary.toLowerCase()),
  );
}

/** Names keep the case in which they came. */
function collectHeaders(request: IncomingMessage, context: GatewayRequestContext): Record<string, string[]> {
  const headers: Record<string, string[]> = {};
  for (let index = 0; index < request.rawHeaders.length; index += 2) {
    const [name = '', value = ''] = request.rawHeaders.slice(index, index + 2);
    if (DROPPED_HEADERS.has(name.toLowerCase()) || name.toLowerCase().startsWith('x-forwarded-')) continue;
    headers[name] = [...(headers[name] ?? []), value];
  }
  const forwardedFor = request.headers['x-forwarded-for'];
  headers['X-Forwarded-For'] = [[forwardedFor ?? [], context.sourceIp].flat().join(', ')];
  headers['X-Forwarded-Port'] = [String(request.socket.localPort)];
  headers['X-Forwarded-Proto'] = ['http'];
  return headers;
}

function collectQuery(query: URLSearchParams): Record<string, string[]> | null {
  const names = [...new Set(query.keys())];
  return names.length === 0 ? null : Object.fromEntries(names.map((name) => [name, query.getAll(name)]));
}

function lastValues(values: Readonly<Record<string, string[]>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, list]) => [name, list.at(-1) ?? '']));
}

function createContext(
  match: GatewayMatch,
  request: IncomingMessage,
  context: GatewayRequestContext,
): APIGatewayProxyEvent['requestContext'] {
  const { api, route } = match;
  return {
    accountId: ACCOUNT_ID,
    apiId: api.id,
    authorizer: null,
    domainName: `${api.id}.execute-api.${REGION}.amazonaws.com`,
    domainPrefix: api.id,
    extendedRequestId: context.requestId,
    httpMethod: context.method,
    identity: { ...ANONYMOUS, sourceIp: context.sourceIp, userAgent: request.headers['user-agent'] ?? null },
    path: `/${api.stage}${context.path}`,
    protocol: `HTTP/${request.httpVersion}`,
    requestId: context.requestId,
    requestTime: commonLogTime(new Date(context.startedMs)),
    requestTimeEpoch: context.startedMs,
    resourceId: route.resourceId,
    resourcePath: route.resourcePath,
    stage: api.stage,
  };
}

const ANONYMOUS: Omit<APIGatewayEventIdentity, 'sourceIp' | 'userAgent'> = {
  accessKey: null,
  accountId: null,
  apiKey: null,
  apiKeyId: null,
  caller: null,
  clientCert: null,
  cognitoAuthenticationProvider: null,
  cognitoAuthenticationType: null,
  cognitoIdentityId: null,
  cognitoIdentityPoolId: null,
  principalOrgId: null,
  user: null,
  userArn: null,
};

/** Such as `09/Apr/2015:12:34:56 +0000`. */
function commonLogTime(date: Date): string {
  const [, day, month, year, time] = /^\w+, (\d+) (\w+) (\d+) ([\d:]+)/.exec(date.toUTCString()) ?? [];
  return `${day}/${month}/${year}:${time} +0000`;
}
