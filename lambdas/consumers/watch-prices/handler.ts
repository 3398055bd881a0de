/** Wires the scheduled comparison of prices for Lambda. */
import { readCatalog } from '../../adapters/inference/catalog-store.ts';
import { readReferencePrices } from '../../adapters/inference/reference-prices.ts';
import { METRICS } from '../../contract/metrics.ts';
import { requireTable } from '../../contract/tables.ts';
import { consumerHandler } from '../../hosts/consumer-handler.ts';
import { watchPrices } from './consumer.ts';

export const handler = consumerHandler(({ clients: { client }, environment, clock, measure, log }) => {
  const table = requireTable(environment, 'catalog');
  return watchPrices({
    readCatalog: () => readCatalog(client, table),
    readReference: () => readReferencePrices(client, table),
    onLooked: ({ passed, outdated, isOld }) =>
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
