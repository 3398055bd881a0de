/** The OpenAPI 3.1 document of the whole service, made from the route table and the schemas that endpoints validate with. */

import { IP_RATE_ERROR } from '../contract/gateway-errors.ts';
import type { Route } from '../contract/route.ts';
import { ERROR_CODES } from '../core/errors.ts';
import type { Operation, Tag } from './operation.ts';
import {
  answerSchema,
  componentSchemas,
  formSchema,
  inlineSchema,
  type JsonSchema,
  queryParameters,
  reference,
} from './schemas.ts';

export interface DocumentOptions {
  readonly routes: readonly Route[];
  readonly operations: Readonly<Record<string, Operation>>;
  readonly title: string;
  readonly version: string;
}

const TAGS: Readonly<Record<Tag, string>> = {
  Inference: 'Model calls, compatible with the OpenAI and Anthropic APIs.',
  Catalog: 'Available models and their prices.',
  Usage: 'Past calls, their cost, and the remaining credit.',
  Accounts: 'Sign-in and API keys.',
  Payments: 'Orders of credit.',
  Webhooks: 'Signed event deliveries, retried for 24 hours.',
  Market: 'Apps and AI agents: publishing, search, installs, purchases and reviews.',
  Service: 'The service itself.',
};

const SECURITY: Readonly<Record<Route['authentication'], readonly JsonSchema[]>> = {
  none: [],
  'api-key': [{ apiKey: [] }, { apiKeyHeader: [] }],
  session: [{ session: [] }],
};

const SECURITY_SCHEMES = {
  apiKey: { type: 'http', scheme: 'bearer', description: 'An API key: `uis_...`.' },
  apiKeyHeader: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'The same key.' },
  session: { type: 'http', scheme: 'bearer', description: 'The `access_token` of a sign-in.' },
};

/** Throws an error that names a route without a description. */
export function openApiDocument({ routes, operations, title, version }: DocumentOptions): JsonSchema {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    const operation = operations[route.endpoint];
    if (operation === undefined)
      throw new Error(`the endpoint ${route.endpoint} has no description: add one to lambdas/openapi/`);
    const path = route.path.replace('+}', '}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: describe(route, operation) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title,
      version,
      description: 'One prepaid API for every model, with accounts, payments, webhooks and a marketplace.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '.', description: 'The host of this document.' }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: { schemas: componentSchemas(), securitySchemes: SECURITY_SCHEMES },
  };
}

function describe(route: Route, operation: Operation): JsonSchema {
  const parameters = [
    ...pathParameters(route.path),
    ...Object.entries(operation.headers ?? {}).map(([name, description]) => ({
      name,
      in: 'header',
      required: false,
      description,
      schema: { type: 'string' },
    })),
    ...(operation.query === undefined ? [] : queryParameters(operation.query)),
  ];
  const body = bodyOf(operation);
  return {
    operationId: operationId(route),
    summary: `${route.purpose[0]?.toUpperCase()}${route.purpose.slice(1)}`,
    ...(operation.description === undefined ? {} : { description: operation.description }),
    tags: [operation.tag],
    security: SECURITY[route.authentication],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: body }),
    responses: { ...answersOf(operation), ...errorsOf(route, operation) },
  };
}

/** `update-listing` on `/ai-agents/{id}` is `updateListingOfAiAgents`. */
function operationId({ endpoint, path }: Route): string {
  const collection = /^\/(apps|ai-agents)(\/|$)/.exec(path)?.[1];
  const name = collection === undefined ? endpoint : `${endpoint}-of-${collection}`;
  return name.replace(/-(\w)/g, (_dash, letter: string) => letter.toUpperCase());
}

const pathParameters = (path: string): readonly JsonSchema[] =>
  [...path.matchAll(/\{(\w+)\+?\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    description: name === 'id' ? 'The id.' : `The ${name.replaceAll('_', ' ')}.`,
    schema: { type: 'string' },
  }));

function bodyOf({ body, form, rawBody, optionalBody }: Operation): JsonSchema | undefined {
  if (form !== undefined)
    return { required: true, content: { 'multipart/form-data': { schema: formSchema(form) } } };
  if (rawBody !== undefined) return { required: true, content: { [rawBody]: { schema: {} } } };
  if (body === undefined) return undefined;
  return {
    required: optionalBody !== true,
    content: { 'application/json': { schema: inlineSchema(body) } },
  };
}

const answersOf = ({ answers }: Operation): JsonSchema =>
  Object.fromEntries(
    Object.entries(answers).map(([status, { description, schema, otherForms = {} }]) => [
      status,
      {
        description,
        headers: { 'x-request-id': { schema: { type: 'string' }, description: 'The request id.' } },
        content: {
          ...(schema === undefined ? {} : { 'application/json': { schema: answerSchema(schema) } }),
          ...Object.fromEntries(
            Object.entries(otherForms).map(([type, form]) => [
              type,
              { schema: { type: 'string', description: form } },
            ]),
          ),
        },
      },
    ]),
  );

/** The operation's own errors and the common ones: rate limits, failures and overload, authentication, a body that is too large. */
function errorsOf(
  { method, authentication, surface }: Route,
  { errors = [], answers }: Operation,
): JsonSchema {
  const statuses = [
    ...errors,
    ...(authentication === 'none' ? [] : [401]),
    ...(method === 'GET' ? [] : [413]),
    ...[429, 500, 503],
  ];
  const schema = reference(surface === 'messages' ? 'MessagesError' : 'Error');
  const own = [...new Set(statuses)].filter((status) => !(status in answers)).sort();
  return Object.fromEntries(
    own.map((status) => [
      status,
      { description: codesOf(status), content: { 'application/json': { schema } } },
    ]),
  );
}

const codesOf = (status: number): string => {
  const all = [...Object.entries(ERROR_CODES), [IP_RATE_ERROR.code, IP_RATE_ERROR] as const];
  const codes = all.flatMap(([code, of]) => (of.status === status ? [`\`${code}\``] : []));
  return `${codes.join(', ')}.`;
};
