/** `catalog watch`: gives the reference prices that the catalog is compared with once a day, and compares it at once. */
import { parseCatalog } from '../../lambdas/inference/core/catalog/catalog-document.ts';
import type { LowRate } from '../../lambdas/inference/core/pricing/low-rates.ts';
import { comparePrices } from '../../lambdas/operations/core/price-watch.ts';
import { usdJson } from '../../lambdas/platform/core/money.ts';
import { readNamedFile } from '../named-file.ts';
import type { Operator } from '../operator.ts';

/** Prices in USD for `per` of an item. */
const shown = (rates: readonly LowRate[]) =>
  rates.map(({ rate, own, other }) => ({
    rate,
    catalog: usdJson(own.price),
    per: own.per,
    reference: usdJson(other.price),
    reference_per: other.per,
  }));

/** Takes a file, or `--none`. Throws when the file is not a valid catalog; then nothing is stored. */
export async function watchPrices(
  operator: Pick<Operator, 'catalog' | 'watchPrices'>,
  [file, ...rest]: readonly string[],
): Promise<Record<string, unknown>> {
  if (file === undefined || rest.length > 0) throw new Error('name one file with newer prices, or --none');
  if (file !== '--none') return watchReference(operator, readNamedFile(file));
  await operator.watchPrices(undefined);
  return { reference: null };
}

/** Stores the reference prices and returns their comparison with the catalog. */
export async function watchReference(
  operator: Pick<Operator, 'catalog' | 'watchPrices'>,
  json: string,
): Promise<Record<string, unknown>> {
  const reference = await operator.watchPrices(json);
  const stored = await operator.catalog();
  if (stored === undefined) return { reference };
  const [catalog, newer] = [parseCatalog(JSON.parse(stored.json)), parseCatalog(JSON.parse(json))];
  const { compared, notCompared, findings } = comparePrices(catalog, newer);
  return {
    reference,
    compared,
    not_compared: notCompared,
    findings: findings.map(({ model, route, passed, outdated }) => ({
      model,
      route,
      prices_passed: shown(passed),
      costs_outdated: shown(outdated),
    })),
  };
}
