/**
 * The responses to requests without a route: 405 for a known path with another method, 404 for an unknown path.
 * Requests that are rejected by name and `HEAD /` are exceptions.
 */
import { ServiceError } from '../errors.ts';
import type { Endpoint } from '../ports.ts';
import { insteadOf } from './missing-paths.ts';

const NO_SUCH_PATH = 'There is no such path. GET / lists the paths.';
const NO_PATH = 'This is the base URL of clients; GET /v1/models lists the models, and GET / the paths.';

/** A request that clients of an API send and this service does not support, if its response must not be 404 or 405. */
interface RejectedRequest {
  readonly method: string;
  readonly path: string;
  readonly rejection: () => ServiceError;
}

/**
 * Each names the alternative, with a status that clients do not retry. Codex 0.169.0 opens its WebSocket seven times if
 * the response is 404 or 405, and once if it is 426. It also retries a POST after 404.
 */
export const REJECTED_REQUESTS: readonly RejectedRequest[] = [
  {
    // API Gateway drops `Upgrade` from requests and from responses, so that every request of this method gets the same.
    method: 'GET',
    path: '/v1/responses',
    rejection: () =>
      new ServiceError(
        'websocket_unsupported',
        'There is no WebSocket here, and no list of responses, because none is kept; send POST /v1/responses.',
        // RFC 9110, section 15.5.22: the protocol to use.
        { headers: { upgrade: 'HTTP/1.1', allow: 'POST' } },
      ),
  },
  {
    method: 'POST',
    path: '/v1/responses/compact',
    rejection: () =>
      new ServiceError(
        'unsupported_by_model',
        'No route here compacts a conversation; ask a model for a summary with POST /v1/responses and go on from that.',
      ),
  },
];

/** Browsers request an icon of every host, also next to JSON; the pages of the service bring their own. */
const NO_ICON = { status: 204, headers: { 'cache-control': 'public, max-age=86400' }, text: '' };

/** `methodsOf` lists the methods of a path; none when the path is unknown. */
export function unknownRoute(methodsOf: (path: string) => readonly string[]): Endpoint {
  return async (request) => {
    const { pathname } = new URL(request.url);
    // Claude Code sends this request to detect a gateway (Claude Code docs, LLM gateway protocol).
    if (request.method === 'HEAD' && pathname === '/') return { headers: {}, text: '' };
    if (pathname === '/favicon.ico') return NO_ICON;
    const match = REJECTED_REQUESTS.find(
      ({ method, path }) => method === request.method && path === pathname,
    );
    if (match !== undefined) throw match.rejection();
    const methods = methodsOf(pathname);
    // A path that only resembles a known one (a doubled or trailing slash) has the method but no route.
    if (methods.length === 0 || methods.includes(request.method)) {
      const similar = similarPaths(pathname);
      const meant = similar.find((path) => methodsOf(path).includes(request.method));
      const message =
        meant === undefined
          ? hintFor([pathname, ...similar], methodsOf)
          : `${didYouMean(meant)} ${BASE_URLS}`;
      throw new ServiceError('unknown_path', message ?? (isBaseUrl(pathname) ? NO_PATH : NO_SUCH_PATH));
    }
    const allow = methods.join(', ');
    throw new ServiceError('method_not_allowed', `This path takes ${allow}.`, { headers: { allow } });
  };
}

const isBaseUrl = (pathname: string) => /^(\/api)?\/v1\/?$/.test(pathname);

/** In the words of the gateway (`contract/gateway-errors.ts`). */
const BASE_URLS =
  'The base URL of an OpenAI client ends in /v1 (not /api/v1), that of an Anthropic client has no path.';

const didYouMean = (path: string) => `There is no such path; did you mean ${path}?`;

/** Returns what to use in place of paths; if that is unknown, the path of which one is the singular. */
function hintFor(
  paths: readonly string[],
  methodsOf: (path: string) => readonly string[],
): string | undefined {
  const plurals = paths.filter((path) => /\w$/.test(path)).map((path) => `${path}s`);
  const meant = plurals.find((path) => methodsOf(path).length > 0);
  return insteadOf(paths) ?? (meant === undefined ? insteadOf(plurals) : didYouMean(meant));
}

/** The paths that a client with a wrong base URL means: without `/v1`, with `/v1` twice, with `/api/v1`, or with a slash too many. */
function similarPaths(pathname: string): readonly string[] {
  const path = pathname
    .replaceAll(/\/{2,}/g, '/')
    .replace(/(?<=.)\/$/, '')
    .replace(/^\/api(?=\/v1\/)/, '');
  return [path, `/v1${path}`, path.replace(/^\/v1(?=\/v1\/)/, '')].filter(
    (similar) => similar !== pathname && similar.startsWith('/v1/'),
  );
}
