/** What no route answers: 405 for a known path with another method, 404 for an unknown path. */
import { ServiceError } from '../errors.ts';
import type { Endpoint } from '../ports.ts';

/** `methodsOf` lists the methods of a path; none when the path is unknown. */
export function unknownRoute(methodsOf: (path: string) => readonly string[]): Endpoint {
  return async (request) => {
    const methods = methodsOf(new URL(request.url).pathname);
    // A path that only looks like a known one (a doubled or trailing slash) has the method and no route all the same.
    if (methods.length === 0 || methods.includes(request.method))
      throw new ServiceError('unknown_path', 'There is no such path.');
    const allow = methods.join(', ');
    throw new ServiceError('method_not_allowed', `This path takes ${allow}.`, { headers: { allow } });
  };
}
