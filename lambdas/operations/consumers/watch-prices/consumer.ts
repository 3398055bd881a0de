/** On a schedule: compares the catalog with the reference prices that the operator gave. It changes nothing. */
import { parseCatalog } from '../../../inference/core/catalog/catalog-document.ts';
import type { LowRate } from '../../../inference/core/pricing/low-rates.ts';
import { formatUsd } from '../../../platform/core/money.ts';
import type { Clock, Log } from '../../../platform/core/ports.ts';
import { comparePrices, MAX_AGE_SECONDS, type PriceFindings, pricesReadAt } from '../../core/price-watch.ts';

interface StoredPrices {
  readonly version: string;
  readonly json: string;
}

/** The result of a comparison of prices. */
export interface PriceCheck {
  /** Routes that have a reference price, and those that have none. */
  readonly compared: number;
  readonly notCompared: number;
  /** Prices of models, and recorded costs of routes, below what the provider takes. */
  readonly passed: number;
  readonly outdated: number;
  /** The reference prices are too old to be relied on. */
  readonly isOld: boolean;
}

export interface WatchPricesDependencies {
  readonly readCatalog: () => Promise<StoredPrices | undefined>;
  /** `given`: seconds since the epoch. */
  readonly readReference: () => Promise<(StoredPrices & { readonly given: number }) | undefined>;
  /** Receives the result of each check; not called if there is nothing to compare. */
  readonly onChecked: (check: PriceCheck) => void;
  readonly clock: Clock;
  readonly log: Log;
}

/** Rates that one log line names: CloudWatch takes lines of up to 256 KB, and one model has some twenty rates. */
const MAX_RATES_LOGGED = 100;

export function watchPrices({ readCatalog, readReference, onChecked, clock, log }: WatchPricesDependencies) {
  return async (): Promise<PriceCheck | null> => {
    const [catalog, reference] = await Promise.all([readCatalog(), readReference()]);
    if (catalog === undefined || reference === undefined) {
      log.info('prices are not watched', {
        reason: catalog === undefined ? 'no catalog' : 'no reference prices',
      });
      return null;
    }
    const document = documentOf(reference);
    const { findings, ...counts } = comparePrices(documentOf(catalog), document);
    for (const finding of findings) logFindings(log, finding);
    const readSeconds = pricesReadAt(document, reference.given);
    const check = {
      ...counts,
      passed: findings.reduce((sum, { passed }) => sum + passed.length, 0),
      outdated: findings.reduce((sum, { outdated }) => sum + outdated.length, 0),
      isOld: clock() / 1000 - readSeconds > MAX_AGE_SECONDS,
    };
    const read = { reference: reference.version, read: new Date(readSeconds * 1000).toISOString() };
    log.info('prices are watched', { catalog: catalog.version, ...read, ...check });
    if (check.isOld) log.warn('the reference prices are old', read);
    onChecked(check);
    return check;
  };
}

const documentOf = ({ json }: StoredPrices) => parseCatalog(JSON.parse(json));

function logFindings(log: Log, { model, route, passed, outdated }: PriceFindings): void {
  if (passed.length > 0) log.warn('prices passed', { model, route, rates: shown(passed) });
  if (outdated.length > 0) log.warn('costs out of date', { model, route, rates: shown(outdated) });
}

/** Returns both amounts in USD. */
const shown = (rates: readonly LowRate[]) =>
  rates.slice(0, MAX_RATES_LOGGED).map(({ rate, own, other }) => ({
    rate,
    catalog: `${formatUsd(own.price)} per ${own.per}`,
    reference: `${formatUsd(other.price)} per ${other.per}`,
  }));
