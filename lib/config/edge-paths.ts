/** The origins to which CloudFront sends the paths of one hostname, as patterns of cache behaviors. */
import type { Route } from '../../lambdas/platform/contract/route.ts';

type RouteAddress = Pick<Route, 'api' | 'path'>;

/** The first segment of a path: `v1` of `/v1/models`. */
const headOf = ({ path }: RouteAddress): string => path.split('/')[1] ?? '';

/** A route's path as CloudFront writes one: a segment that varies is a star. */
const patternOf = ({ path }: RouteAddress): string => path.replaceAll(/\{[^}]+\}/g, '*');

/**
 * Returns patterns that cover every path of the inference API and no path of the platform API. There is one for each
 * first segment that only the inference API has, so that unknown paths there get its format. Other paths get one each.
 * Throws if a pattern would match a path of the platform API.
 */
export function inferencePatterns(routes: readonly RouteAddress[]): readonly string[] {
  const platformRoutes = routes.filter(({ api }) => api === 'platform');
  const shared = new Set(platformRoutes.map(headOf));
  const patterns = new Set(
    routes
      .filter(({ api }) => api === 'inference')
      .map((route) => (shared.has(headOf(route)) ? patternOf(route) : `/${headOf(route)}/*`)),
  );
  for (const pattern of patterns) {
    const coveredRoute = platformRoutes.find(({ path }) => matchesPattern(pattern, path));
    if (coveredRoute !== undefined)
      throw new Error(`the pattern ${pattern} would take ${coveredRoute.path} of the platform API`);
  }
  return [...patterns];
}

/**
 * Returns whether a path matches a pattern of CloudFront. `*` is any number of characters, including slashes, and `?`
 * is one. Letters are case-sensitive (CloudFront developer guide, "Path pattern").
 */
export function matchesPattern(pattern: string, path: string): boolean {
  const escaped = pattern.replaceAll(/[.+^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${escaped.replaceAll('*', '.*').replaceAll('?', '.')}$`, 's').test(path);
}
