/** Holds every answer that the system tests get against what `openapi.json` says of its route. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describeService } from '../../lambdas/app/operations.ts';
import { ROUTES } from '../../lambdas/app/routes.ts';
import type { Route } from '../../lambdas/platform/contract/route.ts';

interface DescribedOperation {
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>;
}

const document = describeService() as unknown as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
};

/**
 * A schema without the fields that it does not name: clients must expect further ones, but what the service answers today
 * is described. Objects that say what further fields hold are open on purpose: they pass on what a model's provider says.
 */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const inner = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]));
  const isOpen = !('properties' in inner) || 'additionalProperties' in inner || inner.type !== 'object';
  return isOpen ? inner : { ...inner, additionalProperties: false };
}

/** The whole document is one schema, so that its references find what they name. */
const DOCUMENT = 'openapi.json';
const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema(closed(document) as object, DOCUMENT);

const routes = ROUTES.map((route: Route) => {
  const pattern = route.path.replaceAll(/\{\w+\+\}/g, '.+').replaceAll(/\{\w+\}/g, '[^/]+');
  return { method: route.method, path: route.path.replace('+}', '}'), pattern: new RegExp(`^${pattern}$`) };
});

/** A pointer into the document (RFC 6901), as the fragment of a reference. */
const pointer = (...keys: readonly string[]): string =>
  `${DOCUMENT}#/${keys.map((key) => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')}`;

function assertSchema(reference: string, body: string, what: string): void {
  const validate = ajv.getSchema(reference);
  if (validate === undefined) throw new Error(`${what}: openapi.json has no schema at ${reference}`);
  if (validate(JSON.parse(body))) return;
  throw new Error(
    `${what} is not as openapi.json describes it: ${ajv.errorsText(validate.errors)}\n${body.slice(0, 1000)}`,
  );
}

/** The answer to an unknown path or method is an error in the envelope of the API format. */
function assertUndescribed(pathname: string, { status }: Response, body: string): void {
  const what = `${pathname}, answered with ${status}`;
  if (![404, 405, 426].includes(status)) throw new Error(`${what}: openapi.json has no such route`);
  const envelope = pathname.startsWith('/v1/messages') ? 'MessagesError' : 'Error';
  assertSchema(pointer('components', 'schemas', envelope), body, what);
}

/** Throws when an answer is not as described. `json` is the body, where the answer is JSON. */
export function assertDescribed({ method, url }: Request, httpResponse: Response, json?: string): void {
  const { pathname } = new URL(url);
  const { status } = httpResponse;
  const what = `${method} ${pathname}, answered with ${status}`;
  const matching = routes.filter(
    (candidate) => candidate.method === method && candidate.pattern.test(decodeURI(pathname)),
  );
  // A path that is named goes before one with a parameter in its place.
  const route = matching.find(({ path }) => path === pathname) ?? matching[0];
  if (route === undefined) {
    assertUndescribed(pathname, httpResponse, json ?? '{}');
    return;
  }
  const response = document.paths[route.path]?.[method.toLowerCase()]?.responses[status];
  if (response === undefined) throw new Error(`${what}: openapi.json has no such status`);
  const media = httpResponse.headers.get('content-type')?.split(';', 1)[0] ?? '';
  if (!(media in (response.content ?? {}))) throw new Error(`${what}: openapi.json has no ${media}`);
  if (json === undefined) return;
  const schemaPath = ['paths', route.path, method.toLowerCase(), 'responses', String(status)];
  assertSchema(pointer(...schemaPath, 'content', media, 'schema'), json, what);
}

/**
 * `fetch` for the service alone. Throws when the status, the media type or a JSON body is not one that `openapi.json`
 * describes; of streams, audio and pages only the media type is checked.
 */
export const describedFetch: typeof fetch = async (input, init) => {
  const request = new Request(input, { ...init, body: null });
  const httpResponse = await fetch(input, init);
  const isJson = httpResponse.headers.get('content-type')?.startsWith('application/json') ?? false;
  if (!isJson) {
    assertDescribed(request, httpResponse);
    return httpResponse;
  }
  const json = await httpResponse.text();
  assertDescribed(request, httpResponse, json);
  return new Response(json, httpResponse);
};
