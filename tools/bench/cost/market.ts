/** The cost of the market's operations: the write units that the bench `market` counts, and what files and payouts cost. */
import { markdownTable } from '../harness/markdown.ts';
import { resultMetric } from '../harness/results.ts';
import { type CostLine, line } from './model.ts';
import { PRICES } from './prices.ts';

/** Operations that a client requests; the others are the work of a schedule. */
const REQUESTED = ['a sale', 'a subscription', 'a payout', 'a build'] as const;
const SCHEDULED = ['a maturity', 'a renewal'] as const;

type Operation = (typeof REQUESTED)[number] | (typeof SCHEDULED)[number];

export type MarketUnits = Readonly<Record<Operation, number>>;

export const readMarketUnits = (): MarketUnits =>
  Object.fromEntries(
    [...REQUESTED, ...SCHEDULED].map((name) => [name, resultMetric('market', name).value]),
  ) as MarketUnits;

/** Stripe's fees of a payout and of an account that was paid in a month. Secondary sources: stripe.com/connect/pricing. */
const STRIPE = { accountMonthUsd: 2, payoutUsd: 0.25, payoutShare: 0.0025 } as const;

/** The upload of a build is kept for a week, its artifact as long as a release has it: a month here. */
const UPLOAD_MONTHS = 7 / 30;

const THOUSAND = 1_000;

/** The bill of a thousand of each operation; builds have this size, and each is downloaded once. */
export function marketCost(units: MarketUnits, buildGb: number): readonly CostLine[] {
  const operation = (name: Operation, requests: number, how: string) =>
    line(
      name,
      THOUSAND * (units[name] * PRICES.writeUnit.usd + requests * PRICES.apiRequest.usd),
      `${units[name]} write units; ${how}`,
    );
  const megabytes = Math.round(buildGb * THOUSAND);
  return [
    operation('a sale', 1, 'one request'),
    operation('a maturity', 0, 'by a schedule'),
    operation('a subscription', 1, 'one request, the first charge included'),
    operation('a renewal', 0, 'by a schedule'),
    operation('a payout', 1, 'one request; Stripe’s fees are separate'),
    operation('a build', 1, 'one request; its file is separate'),
    line(
      'the scan of a build',
      THOUSAND * (buildGb * PRICES.scanGb.usd + PRICES.scanObject.usd),
      `GuardDuty, ${megabytes} MB`,
    ),
    line(
      'the files of a build',
      THOUSAND * (2 * PRICES.objectPut.usd + (1 + UPLOAD_MONTHS) * buildGb * PRICES.objectGbMonth.usd),
      `S3, ${megabytes} MB: the upload for a week, the artifact for a month`,
    ),
    line(
      'a download of a build',
      THOUSAND * (PRICES.apiRequest.usd + buildGb * PRICES.transferGb.usd),
      `${megabytes} MB out to the internet`,
    ),
  ];
}

/** The size of the table's builds. */
const BUILD_GB = 0.01;

export const market = (units: MarketUnits): string =>
  markdownTable(
    ['Operation', '1,000 of them', 'How'],
    marketCost(units, BUILD_GB).map(({ service, usd, how }) => [service, `$${usd.toFixed(3)}`, how]),
  );

/** Stripe's fees of a seller's payouts in a month, in a sentence. */
export const payoutFees = (): string => {
  const { accountMonthUsd, payoutUsd, payoutShare } = STRIPE;
  return `$${accountMonthUsd} for each account that is paid in a month, and $${payoutUsd} and ${payoutShare * 100} % of each payout`;
};
