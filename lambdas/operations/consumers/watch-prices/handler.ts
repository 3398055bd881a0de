/** Wires the scheduled comparison of prices for Lambda. */
import { readCatalog } from '../../../inference/store/catalog-store.ts';
import { readReferencePrices } from '../../../inference/store/reference-prices.ts';
import { METRICS } from '../../../platform/contract/metrics.ts';
import { requireTable } from '../../../platform/contract/tables.ts';
import { consumerHandler } from '../../../platform/handlers/consumer-handler.ts';
import { watchPrices } from './consumer.ts';

export const handler = consumerHandler(({ clients: { client }, environment, clock, measure, log }) => {
  const table = requireTable(environment, 'catalog');
  return watchPrices({
    readCatalog: () => readCatalog(client, table),
    readReference: () => readReferencePrices(client, table),
    onChecked: ({ passed, outdated, isOld }) =>
      measure({
        values: {
          [METRICS.pricesPassed]: passed,
          [METRICS.costsOutdated]: outdated,
          [METRICS.referencePricesOld]: Number(isOld),
        },
      }),
    clock,
    log,
  });
});
