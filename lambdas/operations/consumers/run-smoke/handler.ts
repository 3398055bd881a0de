/** Wires the scheduled smoke test for Lambda. */

import { readCatalog } from '../../../inference/store/catalog-store.ts';
import { createSecretsClient } from '../../../platform/aws/clients.ts';
import { VARIABLES } from '../../../platform/contract/environment.ts';
import { requireTable } from '../../../platform/contract/tables.ts';
import { consumerHandler } from '../../../platform/handlers/consumer-handler.ts';
import { createSmokeAccess } from '../../store/smoke-test/access.ts';
import { openSmokeClient } from '../../store/smoke-test/client.ts';
import { runSmoke } from './consumer.ts';

/**
 * The timeout of a call. A slower call has failed for a caller too, and all calls of a run fit in the function's
 * timeout.
 */
const CALL_MS = 20_000;

export const handler = consumerHandler(({ clients: { client }, environment, clock, log }) => {
  const table = requireTable(environment, 'catalog');
  const access = createSmokeAccess(createSecretsClient(), environment);
  return runSmoke({
    models: environment[VARIABLES.smokeModels],
    readCatalog: () => readCatalog(client, table),
    openClient: openSmokeClient(access, CALL_MS),
    clock,
    log,
  });
});
