/**
 * Renders gateway responses from the templates.
 * Source: API Gateway developer guide, gateway responses: variables are substituted, nothing is evaluated.
 */
import type { GatewayResponse } from '../assembly/api/gateway-responses.ts';
import type { RestApi } from '../assembly/api/rest-apis.ts';
import type { GatewayFault } from './gateway-fault.ts';
import type { GatewayRequestContext } from './request-context.ts';

export interface GatewayReplyBody {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

type Value = (api: RestApi, fault: GatewayFault, context: GatewayRequestContext) => string;

/** The variables that templates may use. */
const VARIABLES: Readonly<Record<string, Value>> = {
  apiId: ({ id }) => id,
  'error.message': (_api, { message }) => message,
  'error.messageString': (_api, { message }) => JSON.stringify(message),
  'error.responseType': (_api, { responseType }) => responseType,
  httpMethod: (_api, _fault, { method }) => method,
  'identity.sourceIp': (_api, _fault, { sourceIp }) => sourceIp,
  path: ({ stage }, _fault, { path }) => `/${stage}${path}`,
  requestId: (_api, _fault, { requestId }) => requestId,
  requestTimeEpoch: (_api, _fault, { startedMs }) => String(startedMs),
  stage: ({ stage }) => stage,
};

/** API Gateway's body where a template sets none. */
const DEFAULT_TEMPLATE = ['application/json', '{"message":$context.error.messageString}'] as const;

const VARIABLE = /\$context\.([a-zA-Z]+(?:\.[a-zA-Z]+)*)/g;

/**
 * Returns the response of the API to a fault: its own response type, else its default for the class, else API
 * Gateway's.
 */
export function renderFault(
  api: RestApi,
  fault: GatewayFault,
  context: GatewayRequestContext,
): GatewayReplyBody {
  const response =
    findResponse(api, fault.responseType) ??
    findResponse(api, fault.status < 500 ? 'DEFAULT_4XX' : 'DEFAULT_5XX');
  const valueFor = (name: string) => VARIABLES[name]?.(api, fault, context) ?? '';
  const [contentType, template] = response?.bodies[0] ?? DEFAULT_TEMPLATE;
  const headers = Object.entries(response?.headers ?? {}).map(([name, value]) => [
    name,
    value.startsWith("'") ? value.slice(1, -1) : valueFor(value.slice('context.'.length)),
  ]);
  return {
    status: response?.status ?? fault.status,
    headers: {
      'content-type': contentType,
      'x-amzn-RequestId': context.requestId,
      ...Object.fromEntries(headers),
    },
    body: template.replace(VARIABLE, (_, name: string) => valueFor(name)),
  };
}

/** Throws an error that names a variable that the gateway would not know, so that it shows at the start. */
export function checkTemplates(api: RestApi): void {
  for (const { headers, bodies } of api.gatewayResponses) {
    const fromHeaders = Object.values(headers).flatMap((value) =>
      value.startsWith("'") ? [] : [value.slice('context.'.length)],
    );
    const fromBodies = bodies.flatMap(([, template]) =>
      [...template.matchAll(VARIABLE)].map(([, name]) => name ?? ''),
    );
    const unknown = [...fromHeaders, ...fromBodies].find((name) => !Object.hasOwn(VARIABLES, name));
    if (unknown !== undefined)
      throw new Error(`the local gateway does not know the variable $context.${unknown}`);
  }
}

function findResponse(api: RestApi, responseType: string): GatewayResponse | undefined {
  return api.gatewayResponses.find((response) => response.responseType === responseType);
}
