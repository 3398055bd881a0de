/** Matching a path against the route table, as API Gateway does: fixed segments before `{name}` before `{name+}`. */

import type { Route, Surface } from '../contract/route.ts';
import { decodeSegment } from './pipelines.ts';

export interface MatchedRoute<R> {
  readonly route: R;
  readonly pathParameters: Readonly<Record<string, string>>;
}

/**
 * Returns the routes of the most specific path that matches, whatever their methods; none if no path matches. A trailing
 * slash makes no difference. Source: API Gateway developer guide, proxy resources.
 */
export function matchPath<R extends { readonly path: string }>(
  routes: readonly R[],
  path: string,
  decode: (value: string) => string = decodeSegment,
): readonly MatchedRoute<R>[] {
  const segments = split(path);
  const matches = routes.flatMap((route) => {
    const pathParameters = matchSegments(split(route.path), segments, decode);
    return pathParameters === undefined ? [] : [{ route, pathParameters }];
  });
  const best = matches
    .map(({ route }) => specificity(route.path))
    .sort()
    .at(0);
  return matches.filter(({ route }) => specificity(route.path) === best);
}

/** Returns the surface of a path without a route: that of the longest route that is a prefix of it. */
export function surfaceAt(routes: readonly Route[], path: string): Surface {
  const segments = split(path);
  const matches = routes
    .filter((route) => split(route.path).length > 0)
    .filter((route) => split(route.path).every((segment, index) => segment === segments[index]))
    .sort((a, b) => b.path.length - a.path.length);
  return matches[0]?.surface ?? 'platform';
}

const split = (path: string) => path.split('/').filter((segment) => segment !== '');

/** Sorts fixed segments first, then single parameters, then greedy ones, segment by segment. */
const specificity = (path: string) =>
  split(path)
    .map((segment) => (segment.endsWith('+}') ? '2' : segment.startsWith('{') ? '1' : '0'))
    .join('');

function matchSegments(
  pattern: readonly string[],
  segments: readonly string[],
  decode: (value: string) => string,
): Record<string, string> | undefined {
  const parameters: Record<string, string> = {};
  for (const [index, patternSegment] of pattern.entries()) {
    const segment = segments[index];
    if (segment === undefined) return undefined;
    if (patternSegment.endsWith('+}')) {
      parameters[patternSegment.slice(1, -2)] = decode(segments.slice(index).join('/'));
      return parameters;
    }
    if (patternSegment.startsWith('{')) parameters[patternSegment.slice(1, -1)] = decode(segment);
    else if (patternSegment !== segment) return undefined;
  }
  return pattern.length === segments.length ? parameters : undefined;
}
