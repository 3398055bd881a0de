/**
 * The OpenAPI 3.1 document of the complete service, created from the route table and the schemas that endpoints
 * validate with.
 */

import { SESSION_COOKIES } from '../access/core/sessions/session-cookie.ts';
import { HAS_MARKET } from '../platform/contract/features.ts';
import { IP_RATE_ERROR } from '../platform/contract/gateway-errors.ts';
import type { Operation, Tag } from '../platform/contract/operation.ts';
import type { Route } from '../platform/contract/route.ts';
import { ERROR_CODES } from '../platform/core/errors.ts';
import {
  componentSchemas,
  formSchema,
  inlineSchema,
  type JsonSchema,
  queryParameters,
  reference,
  responseSchema,
} from './schemas.ts';

type Models = Readonly<Record<string, string | undefined>>;

export interface DocumentOptions {
  readonly routes: readonly Route[];
  readonly operations: Readonly<Record<string, Operation>>;
  /** The default models of the deployment by kind, which examples name. Without one its examples are left out. */
  readonly models?: Models | undefined;
  /** The events that the service sends, by type. */
  readonly webhooks?: JsonSchema;
  readonly title: string;
  /** The version of the interface. */
  readonly version: string;
  /** The version of the product. */
  readonly release: string;
}

const TAGS: Readonly<Record<Tag, string>> = {
  Inference: 'Model calls, compatible with the OpenAI and Anthropic APIs.',
  Catalog: 'Available models and their prices.',
  Usage: 'Past calls, their cost, and the remaining credit.',
  Accounts: 'Sign-in and API keys.',
  Payments: 'Orders of credit.',
  Webhooks: 'Signed event deliveries, retried for 24 hours.',
  Telemetry: 'Settled calls as OpenTelemetry, sent to a receiver of your own.',
  Operator: 'The whole deployment, for those who run it.',
  Market: 'Apps and AI agents: publishing, search, installs, purchases and reviews.',
  Service: 'The service itself.',
};

const KEY: readonly JsonSchema[] = [{ apiKey: [] }, { apiKeyHeader: [] }];
const SESSION: readonly JsonSchema[] = [{ session: [] }, { sessionCookie: [], console: [] }];

const SECURITY: Readonly<Record<Route['authentication'], readonly JsonSchema[]>> = {
  none: [],
  'api-key': KEY,
  session: SESSION,
  'api-key-or-session': [...KEY, ...SESSION],
  operator: [{ operator: [] }, { operatorCookie: [], console: [] }],
};

const SECURITY_SCHEMES = {
  apiKey: { type: 'http', scheme: 'bearer', description: 'An API key: `uis_...`.' },
  apiKeyHeader: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'The same key.' },
  session: { type: 'http', scheme: 'bearer', description: 'The `access_token` of a sign-in.' },
  sessionCookie: {
    type: 'apiKey',
    in: 'cookie',
    name: SESSION_COOKIES.owner,
    description: 'The same token, where the sign-in put it into a cookie.',
  },
  operator: {
    type: 'http',
    scheme: 'bearer',
    description: 'The `access_token` of a sign-in with the role `operator`.',
  },
  operatorCookie: {
    type: 'apiKey',
    in: 'cookie',
    name: SESSION_COOKIES.operator,
    description: 'The same token, where the sign-in put it into a cookie.',
  },
  console: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Requested-With',
    description: '`console`: without it the cookie does not count.',
  },
};

/** Throws an error that names a route without a description. */
export function openApiDocument({
  routes,
  operations,
  models = {},
  webhooks = {},
  title,
  version,
  release,
}: DocumentOptions): JsonSchema {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    const operation = operations[route.endpoint];
    if (operation === undefined)
      throw new Error(
        `the endpoint ${route.endpoint} has no description: add one to the openapi.ts of its context`,
      );
    const path = route.path.replace('+}', '}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: describe(route, operation, models) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title,
      version,
      'x-release': release,
      description: `One prepaid API for every model, with accounts, payments${HAS_MARKET ? ', webhooks and a marketplace' : ' and webhooks'}.`,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '.', description: 'The host of this document.' }],
    tags: Object.entries(TAGS)
      .filter(([name]) => routes.some(({ endpoint }) => operations[endpoint]?.tag === name))
      .map(([name, description]) => ({ name, description })),
    paths,
    webhooks,
    components: { schemas: componentSchemas(), securitySchemes: SECURITY_SCHEMES },
  };
}

function describe(route: Route, operation: Operation, models: Models): JsonSchema {
  const parameters = [
    ...pathParameters(route.path),
    ...(route.idOutsidePath === true ? [ID_PARAMETER] : []),
    ...Object.entries(operation.headers ?? {}).map(([name, { description, pattern }]) => ({
      name,
      in: 'header',
      required: false,
      description,
      schema: { type: 'string', pattern },
    })),
    ...(operation.query === undefined ? [] : queryParameters(operation.query)),
  ];
  const body = bodyOf(operation, exampleOf(operation, models));
  return {
    operationId: operationId(route),
    summary: `${route.purpose[0]?.toUpperCase()}${route.purpose.slice(1)}`,
    ...(operation.description === undefined ? {} : { description: operation.description }),
    ...(operation.deprecated === true ? { deprecated: true } : {}),
    tags: [operation.tag],
    security: SECURITY[route.authentication],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: body }),
    responses: { ...responsesOf(operation, route), ...errorsOf(route, operation) },
  };
}

/** A client that describes its requests by this document always has a query. */
const ID_PARAMETER: JsonSchema = {
  name: 'id',
  in: 'query',
  required: true,
  description: 'The id. It may be a field of a JSON body instead.',
  schema: { type: 'string' },
};

/** `update-listing` on `/ai-agents/{id}` ends with `OfAiAgents`, on `/ai-agents` also with `ByQuery`. */
function operationId({ endpoint, path, idOutsidePath }: Route): string {
  const collection = /^\/(apps|ai-agents)(\/|$)/.exec(path)?.[1];
  const name = collection === undefined ? endpoint : `${endpoint}-of-${collection}`;
  return `${name}${idOutsidePath === true ? '-by-query' : ''}`.replace(/-(\w)/g, (_dash, letter: string) =>
    letter.toUpperCase(),
  );
}

const pathParameters = (path: string): readonly JsonSchema[] =>
  [...path.matchAll(/\{(\w+)\+?\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    description: name === 'id' ? 'The id.' : `The ${name.replaceAll('_', ' ')}.`,
    schema: { type: 'string' },
  }));

/** Returns the example of a body as a field of its media type; no field without an example that works. */
function exampleOf(
  { example, exampleKind: kind }: Operation,
  models: Models,
): { readonly example?: JsonSchema } {
  if (example === undefined || (kind !== undefined && models[kind] === undefined)) return {};
  return { example: kind === undefined ? example : { model: models[kind], ...example } };
}

function bodyOf(
  { body, form, rawBody, optionalBody }: Operation,
  example: ReturnType<typeof exampleOf>,
): JsonSchema | undefined {
  if (form !== undefined)
    return { required: true, content: { 'multipart/form-data': { schema: formSchema(form), ...example } } };
  if (rawBody !== undefined) return { required: true, content: { [rawBody]: { schema: {} } } };
  if (body === undefined) return undefined;
  const schema = inlineSchema(body);
  return { required: optionalBody !== true, content: { 'application/json': { schema, ...example } } };
}

const REQUEST_ID = { 'x-request-id': 'The request id.' };

/** The headers of responses to requests with an API key. */
const RATE_HEADERS: Readonly<Record<string, string>> = {
  'x-ratelimit-limit-requests': 'Requests a minute of the key.',
  'x-ratelimit-remaining-requests': 'Requests that are left in this minute.',
  'x-ratelimit-reset-requests': 'Time until the minute ends, such as `12.5s`.',
  'x-ratelimit-limit-tokens':
    'Tokens a minute of the key, if its policy limits them; else none of these three.',
  'x-ratelimit-remaining-tokens': 'Tokens that are left in this minute.',
  'x-ratelimit-reset-tokens': 'Time until the minute ends.',
};

const RETRY_AFTER = { 'retry-after': 'Seconds to wait, unless waiting does not help.' };

const headersOf = (texts: Readonly<Record<string, string>>): JsonSchema =>
  Object.fromEntries(
    Object.entries(texts).map(([name, description]) => [name, { schema: { type: 'string' }, description }]),
  );

const responsesOf = ({ responses }: Operation, { authentication }: Route): JsonSchema =>
  Object.fromEntries(
    Object.entries(responses).map(([status, { description, schema, headers = {}, otherForms = {} }]) => [
      status,
      {
        description,
        headers: headersOf({
          ...REQUEST_ID,
          ...(authentication.startsWith('api-key') ? RATE_HEADERS : {}),
          ...headers,
        }),
        content: {
          ...(schema === undefined ? {} : { 'application/json': { schema: responseSchema(schema) } }),
          ...Object.fromEntries(
            Object.entries(otherForms).map(([type, form]) => [type, { schema: otherForm(type, form) }]),
          ),
        },
      },
    ]),
  );

/**
 * Returns the schema of a binary format. `format` specifies bytes instead of text: OpenAPI 3.1 would leave the schema
 * empty, which client generators read as any JSON value.
 */
const otherForm = (type: string, description: string): JsonSchema =>
  // A reader of event streams applies the schema to each event, which is no string.
  type === 'text/event-stream'
    ? { description }
    : type.startsWith('text/')
      ? { type: 'string', description }
      : { type: 'string', format: 'binary', contentMediaType: type, description };

/**
 * The operation's own errors and those that follow: 400 where input is read, 404 where the path names something, 401
 * where a caller authenticates, 413 where there may be a body; rate limits, failures and overload everywhere.
 */
function errorsOf(
  { method, path, idOutsidePath, authentication, surface }: Route,
  operation: Operation,
): JsonSchema {
  const { errors = [], responses, body, form, rawBody, query, headers } = operation;
  const readsInput = [body, form, rawBody, query, headers].some((input) => input !== undefined);
  const statuses = [
    ...errors,
    ...(readsInput ? [400] : []),
    ...(idOutsidePath === true ? [400] : []),
    ...(idOutsidePath === true || path.includes('{') ? [404] : []),
    ...(authentication === 'none' ? [] : [401]),
    ...(authentication === 'operator' ? [403] : []),
    ...(method === 'GET' ? [] : [413]),
    429,
    500,
    503,
  ];
  const schema = reference(surface === 'messages' ? 'MessagesError' : 'Error');
  const errorStatuses = [...new Set(statuses)].filter((status) => !(status in responses)).sort();
  return Object.fromEntries(
    errorStatuses.map((status) => [
      status,
      {
        description: codesOf(status),
        headers: headersOf({ ...REQUEST_ID, ...(status === 429 || status === 503 ? RETRY_AFTER : {}) }),
        content: { 'application/json': { schema } },
      },
    ]),
  );
}

const codesOf = (status: number): string => {
  const all = [...Object.entries(ERROR_CODES), [IP_RATE_ERROR.code, IP_RATE_ERROR] as const];
  const codes = all.flatMap(([code, of]) => (of.status === status ? [`\`${code}\``] : []));
  return `${codes.join(', ')}.`;
};
