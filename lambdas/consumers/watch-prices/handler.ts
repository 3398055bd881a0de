/** Wires the scheduled comparison of prices for Lambda. */
import { readCatalog } from '../../adapters/inference/catalog-store.ts';
import { readPriceSource } from '../../adapters/inference/price-source.ts';
import { METRICS } from '../../contract/metrics.ts';
import { requireTable } from '../../contract/tables.ts';
import { consumerHandler } from '../../hosts/consumer-handler.ts';
import { watchPrices } from './consumer.ts';

export const handler = consumerHandler(({ clients: { client }, environment, clock, measure, log }) => {
  const table = requireTable(environment, 'catalog');
  return watchPrices({
    readCatalog: () => readCatalog(client, table),
    readSource: () => readPriceSource(client, table),
    onLooked: ({ passed, outdated, isOld }) =>
      measure({
        values: {
          [METRICS.pricesPassed]: passed,
          [METRICS.costsOutdated]: outdated,
          [METRICS.priceSourceOld]: Number(isOld),
        },
      }),
    clock,
    log,
  });
});
