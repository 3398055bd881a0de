/** How the requests of a probe are authorised: as those of the service itself, with the operator's access to its keys. */
import type { Route } from '../../lambdas/core/inference/catalog/catalog-document.ts';
import { authorizationOf, bearer, type KeyHeader } from '../../lambdas/providers/authorization.ts';
import type { RouteAccess } from '../route-access.ts';
import type { Address } from './host.ts';

/** The version of the Messages API that the service speaks (Claude API docs, API versions). */
const MESSAGES_VERSION = '2023-06-01';

const apiKey: KeyHeader = (key) => ({ 'x-api-key': key });

/** Headers that a protocol wants beside the key. */
const headersOf = ({ protocol, workspace }: Route): Readonly<Record<string, string>> =>
  protocol !== 'anthropic'
    ? {}
    : {
        'anthropic-version': MESSAGES_VERSION,
        ...(workspace === undefined ? {} : { 'anthropic-workspace-id': workspace }),
      };

/** Reads the route's key. Throws where that cannot be done. */
export async function authorizationFor(
  route: Route,
  access: Pick<RouteAccess, 'readSecret' | 'readToken' | 'sign'>,
): Promise<Pick<Address, 'authorize' | 'secret'>> {
  const secret = route.secret === undefined ? undefined : await access.readSecret(route.secret);
  const keyHeader = route.protocol === 'anthropic' ? apiKey : bearer;
  const headers = headersOf(route);
  return {
    secret,
    authorize: (url, body) => authorizationOf(access, route, { url, body, headers }, keyHeader),
  };
}
