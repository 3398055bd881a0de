/**
 * Finds the route of a request as API Gateway does, over several REST APIs that share one local address.
 * Source: API Gateway developer guide, proxy resources: the most specific resource wins.
 */
import type { ApiRoute, RestApi } from '../assembly/api/rest-apis.ts';

export interface Match {
  readonly api: RestApi;
  readonly route: ApiRoute;
  /** Values as they were in the path, still percent-encoded: REST APIs do not decode them for Lambda. */
  readonly pathParameters: Readonly<Record<string, string>>;
}

interface Candidate {
  readonly api: RestApi;
  readonly route: ApiRoute;
  readonly segments: readonly Segment[];
}

interface Segment {
  /** 0 static, 1 `{name}`, 2 `{name+}`: the less the more specific. */
  readonly rank: 0 | 1 | 2;
  /** The text, or the parameter's name. */
  readonly name: string;
}

/** Returns a lookup of method and path (no query); undefined means that no API has such a resource and method. */
export function createRouter(apis: readonly RestApi[]): (method: string, path: string) => Match | undefined {
  const candidates = apis
    .flatMap((api) => api.routes.map((route) => ({ api, route, segments: parsePattern(route.resourcePath) })))
    .sort((a, b) => compareSpecificity(a.segments, b.segments));
  return (method, path) => {
    const parts = splitPath(path);
    const matching = candidates.filter(({ segments }) => matches(segments, parts));
    const [best] = matching;
    if (best === undefined) return undefined;
    const resource = matching.filter(({ segments }) => compareSpecificity(segments, best.segments) === 0);
    const found = byMethod(resource, method) ?? byMethod(resource, 'ANY');
    return found && { api: found.api, route: found.route, pathParameters: parameters(found.segments, parts) };
  };
}

function byMethod(candidates: readonly Candidate[], method: string): Candidate | undefined {
  return candidates.find(({ route }) => route.method === method);
}

function parsePattern(path: string): readonly Segment[] {
  return splitPath(path).map((text) => {
    const parameter = /^\{(.+?)(\+?)\}$/.exec(text);
    if (parameter?.[1] === undefined) return { rank: 0, name: text };
    return { rank: parameter[2] === '+' ? 2 : 1, name: parameter[1] };
  });
}

/** A trailing slash makes no difference to API Gateway. */
function splitPath(path: string): readonly string[] {
  const trimmed = path.replace(/^\/+|\/+$/g, '');
  return trimmed === '' ? [] : trimmed.split('/');
}

function compareSpecificity(a: readonly Segment[], b: readonly Segment[]): number {
  for (let index = 0; index < Math.max(a.length, b.length); index += 1) {
    const difference = (a[index]?.rank ?? 3) - (b[index]?.rank ?? 3);
    if (difference !== 0) return difference;
  }
  return 0;
}

function matches(segments: readonly Segment[], parts: readonly string[]): boolean {
  const greedy = segments.at(-1)?.rank === 2;
  if (greedy ? parts.length < segments.length : parts.length !== segments.length) return false;
  return segments.every(({ rank, name }, index) => rank !== 0 || name === parts[index]);
}

function parameters(segments: readonly Segment[], parts: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    segments.flatMap(({ rank, name }, index) => {
      if (rank === 0) return [];
      return [[name, rank === 2 ? parts.slice(index).join('/') : (parts[index] ?? '')]];
    }),
  );
}
