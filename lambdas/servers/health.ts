/**
 * The health check of a balancer, which decides whether to send calls to the program. A program is healthy once it has
 * read what every call needs: the stage's record, the key pepper and the catalog. So a release that cannot read them, or
 * that is older than the data of the stage, never replaces the tasks that serve.
 *
 * From then on, only draining and newer data make it unhealthy. A database that does not respond fails calls with 503, and
 * they succeed again with it. If the check failed too, the balancer would remove all tasks at once, and ECS would replace
 * each of them by one that cannot start.
 */
import { paidCalls } from '../inference/handlers/paid-handler.ts';
import { createCatalogProbe } from '../inference/store/catalog-store.ts';
import { HOST_HEALTH_PATH } from '../platform/contract/inference-host.ts';
import { ServiceError } from '../platform/core/errors.ts';
import type { Log } from '../platform/core/ports.ts';
import { createDataResources } from '../platform/handlers/resources.ts';
import { stageCheck } from '../platform/handlers/stage-check.ts';
import type { NodeHost, RouteTarget } from '../platform/http/node-host.ts';
import { JSON_BODIES } from './bodies.ts';

/**
 * Rejects if the process may not serve, or the pepper or the catalog cannot be read. A deployment gets its first catalog
 * after its hosts: none is fine.
 */
async function readRequired(): Promise<void> {
  const { clients, environment } = createDataResources();
  const { peppers, catalog } = paidCalls();
  const probe = createCatalogProbe({ client: clients.client, environment });
  const [pointer] = await Promise.all([probe(), peppers()]);
  await stageCheck().check('read');
  if (pointer !== undefined) await catalog();
}

/**
 * Returns a function that reads again if no reading has succeeded, after a first one at once. The host is ready once one
 * has. Each kind of failure is logged once.
 */
function createReadiness(host: () => NodeHost, log: Pick<Log, 'warn'>): () => void {
  let isReading = false;
  let lastFailure = '';
  const attempt = async () => {
    isReading = true;
    try {
      await readRequired();
      host().isReady = true;
    } catch (failure) {
      const { name } = failure as Error;
      if (name !== lastFailure) log.warn('the host is not ready', { failure: name });
      lastFailure = name;
    } finally {
      isReading = false;
    }
  };
  void attempt();
  return () => {
    if (!host().isReady && !isReading) void attempt();
  };
}

/** Returns whether the data of the stage is newer than this version. A record that cannot be read does not make it so. */
async function isOutdated(): Promise<boolean> {
  try {
    await stageCheck().check('read');
    return false;
  } catch (failure) {
    return failure instanceof ServiceError && failure.code === 'outdated_version';
  }
}

/** Adds the health path, which returns the host's state unmeasured, and passes every other path to `resolve`. */
export function withHealth(
  host: () => NodeHost,
  log: Pick<Log, 'warn'>,
  resolve: (method: string, path: string) => RouteTarget,
): (method: string, path: string) => RouteTarget {
  const readIfNotReady = createReadiness(host, log);
  const check: RouteTarget = {
    handler: async () => {
      readIfNotReady();
      const isHealthy = host().isHealthy && !(await isOutdated());
      return { status: isHealthy ? 200 : 503, headers: {}, body: '' };
    },
    pathParameters: {},
    body: JSON_BODIES,
  };
  return (method, path) => (path === HOST_HEALTH_PATH ? check : resolve(method, path));
}
