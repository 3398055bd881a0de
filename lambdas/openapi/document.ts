/** The OpenAPI 3.1 document of the whole service, made from the route table and the schemas that endpoints validate with. */

import { IP_RATE_ERROR } from '../contract/gateway-errors.ts';
import type { Route } from '../contract/route.ts';
import { ERROR_CODES } from '../core/errors.ts';
import type { Answer, Operation, Tag } from './operation.ts';
import {
  answerSchema,
  componentSchemas,
  formSchema,
  type JsonSchema,
  queryParameters,
  reference,
  requestSchema,
} from './schemas.ts';

export interface DocumentOptions {
  readonly routes: readonly Route[];
  readonly operations: Readonly<Record<string, Operation>>;
  readonly title: string;
  readonly version: string;
}

const TAGS: Readonly<Record<Tag, string>> = {
  Inference: 'Calls to models, in the protocols of OpenAI and Anthropic.',
  Catalog: 'The models there are, and what they cost.',
  Usage: 'What was called, what it cost and what is left.',
  Accounts: 'Signing in, and API keys.',
  Payments: 'Topping credit up.',
  Webhooks: 'Being told of events, signed and repeated until they arrive.',
  Market: 'Apps and AI agents: listing, finding, installing, buying and reviewing them.',
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
  const pages = new Set<string>();
  for (const route of routes) {
    const operation = operations[route.endpoint];
    if (operation === undefined)
      throw new Error(`the endpoint ${route.endpoint} has no description: add one to lambdas/openapi/`);
    const path = route.path.replace('+}', '}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: describe(route, operation) };
    for (const { schema } of Object.values(operation.answers))
      if (schema !== undefined && 'name' in schema) pages.add(String(schema.name));
  }
  return {
    openapi: '3.1.0',
    info: {
      title,
      version,
      description: 'One prepaid API in front of every model, with the platform around it.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '.', description: 'The service that serves this document.' }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: { schemas: componentSchemas(pages), securitySchemes: SECURITY_SCHEMES },
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
  const words = collection === undefined ? endpoint : `${endpoint}-of-${collection}`;
  return words.replace(/-(\w)/g, (_dash, letter: string) => letter.toUpperCase());
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
    content: { 'application/json': { schema: requestSchema(body) } },
  };
}

const answersOf = ({ answers }: Operation): JsonSchema =>
  Object.fromEntries(
    Object.entries(answers).map(([status, { description, schema, otherForms = {} }]) => [
      status,
      {
        description,
        headers: { 'x-request-id': { schema: { type: 'string' }, description: 'Names the request.' } },
        content: {
          ...(schema === undefined ? {} : { 'application/json': { schema: schemaOf(schema) } }),
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

const schemaOf = (schema: NonNullable<Answer['schema']>): JsonSchema =>
  'name' in schema ? reference(String(schema.name)) : answerSchema(schema);

/**
 * Every route may meet the limits on addresses, fail, and be overloaded; one with authentication may be refused, and one that is sent
 * something may find it too large.
 */
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
