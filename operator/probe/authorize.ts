/** How the requests of a probe are authorised: as those of the service itself, with the operator's access to its keys. */
import type { Route } from '../../lambdas/core/inference/catalog/catalog-document.ts';
import { authorizationOf } from '../../lambdas/providers/openai-formats/authorization.ts';
import type { RouteAccess } from '../route-access.ts';
import type { Address } from './host.ts';

/** The version of the Messages API that the service speaks (Claude API docs, API versions). */
const MESSAGES_VERSION = '2023-06-01';

/** Reads the route's key. Throws where that cannot be done. */
export async function authorizationFor(
  route: Route,
  access: Pick<RouteAccess, 'readSecret' | 'sign'>,
): Promise<Pick<Address, 'authorize' | 'secret'>> {
  const secret = route.secret === undefined ? undefined : await access.readSecret(route.secret);
  if (route.protocol !== 'anthropic')
    return { secret, authorize: (url, body) => authorizationOf(access, route, { url, body }) };
  const key = secret === undefined ? {} : { 'x-api-key': secret };
  return { secret, authorize: async () => ({ 'anthropic-version': MESSAGES_VERSION, ...key }) };
}
