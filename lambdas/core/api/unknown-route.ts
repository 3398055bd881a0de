/** What no route answers: 405 for a known path with another method, 404 for an unknown path, but for what is refused by name, and for `HEAD /`. */
import { ServiceError } from '../errors.ts';
import type { Endpoint } from '../ports.ts';
import { REFUSED_REQUESTS } from './refused-requests.ts';

/** `methodsOf` lists the methods of a path; none when the path is unknown. */
export function unknownRoute(methodsOf: (path: string) => readonly string[]): Endpoint {
  return async (request) => {
    const { pathname } = new URL(request.url);
    // Claude Code asks so whether a gateway is there (Claude Code docs, LLM gateway protocol).
    if (request.method === 'HEAD' && pathname === '/') return new Response(null);
    const refused = REFUSED_REQUESTS.find(
      ({ method, path }) => method === request.method && path === pathname,
    );
    if (refused !== undefined) throw refused.refusal();
    const methods = methodsOf(pathname);
    // A path that only looks like a known one (a doubled or trailing slash) has the method and no route all the same.
    if (methods.length === 0 || methods.includes(request.method))
      throw new ServiceError('unknown_path', 'There is no such path.');
    const allow = methods.join(', ');
    throw new ServiceError('method_not_allowed', `This path takes ${allow}.`, { headers: { allow } });
  };
}
