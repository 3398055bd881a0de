/** The address of a request of OpenAI's formats, on Azure with the version of its API and, before `v1`, the deployment. */
import type { CatalogRoute } from '../../core/catalog/catalog-document.ts';

export type AddressedRoute = Pick<CatalogRoute, 'base_url' | 'api_version' | 'upstream_model'>;

/** Paths without the deployment, because the body contains it (Azure OpenAI docs, Responses API). */
const WITHOUT_DEPLOYMENT: readonly string[] = ['/responses'];

/**
 * `path` below the route's address. With an `api_version` it is Azure's: below `/openai/v1` with the version alone, below
 * `/openai` also with the deployment, which the route has as its model (Azure OpenAI REST API reference).
 */
export function addressOf(route: AddressedRoute, path: string): string {
  const { base_url: base, api_version: version, upstream_model: deployment } = route;
  if (version === undefined) return `${base}${path}`;
  const isV1 = base.endsWith('/v1') || WITHOUT_DEPLOYMENT.includes(path);
  const deploymentPath = isV1 ? '' : `/deployments/${encodeURIComponent(deployment)}`;
  return `${base}${deploymentPath}${path}?api-version=${encodeURIComponent(version)}`;
}
