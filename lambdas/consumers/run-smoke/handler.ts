/** Wires the scheduled smoke test for Lambda. */
import { createSecretsClient } from '../../adapters/aws/clients.ts';
import { readCatalog } from '../../adapters/inference/catalog-store.ts';
import { createSmokeAccess } from '../../adapters/inference/smoke/access.ts';
import { openSmokeClient } from '../../adapters/inference/smoke/client.ts';
import { smokeMeter } from '../../adapters/inference/smoke/meter.ts';
import { VARIABLES } from '../../contract/environment.ts';
import { requireTable } from '../../contract/tables.ts';
import { consumerHandler } from '../../hosts/consumer-handler.ts';
import { runSmoke } from './consumer.ts';

/** What takes longer has failed for a caller too; all calls of a run fit in the function's own time. */
const CALL_MS = 20_000;

export const handler = consumerHandler(({ clients: { client }, environment, clock, measure, log }) => {
  const table = requireTable(environment, 'catalog');
  const access = createSmokeAccess(createSecretsClient(), environment);
  return runSmoke({
    models: environment[VARIABLES.smokeModels],
    readCatalog: () => readCatalog(client, table),
    openClient: openSmokeClient(access, CALL_MS),
    ...smokeMeter(measure),
    clock,
    log,
  });
});
