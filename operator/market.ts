/** The operator's work on the market: what is due, the comparison with the payment provider, builds, and sellers. */
import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { Build } from '../lambdas/marketplace/core/builds/build.ts';
import { reconcilePayouts } from '../lambdas/marketplace/core/payouts/reconcile.ts';
import { createScanClient, createScanner } from '../lambdas/marketplace/store/builds/build-scanner.ts';
import { bucketOf, createBuildStore } from '../lambdas/marketplace/store/builds/create-builds.ts';
import { createDueProcessing } from '../lambdas/marketplace/store/create-due.ts';
import { createEarningsStore } from '../lambdas/marketplace/store/earnings/create-earnings.ts';
import { createPayoutStore } from '../lambdas/marketplace/store/payouts/create-payouts.ts';
import { StripePayouts } from '../lambdas/marketplace/store/payouts/stripe-payouts.ts';
import type { DynamoClients } from '../lambdas/platform/aws/clients.ts';
import { createSecretReader } from '../lambdas/platform/aws/secrets.ts';
import type { NanoUsd } from '../lambdas/platform/core/money.ts';
import type { Log } from '../lambdas/platform/core/ports.ts';
import { systemClock, systemUlid } from '../lambdas/platform/system/system.ts';
import type { OperatorTarget } from './target.ts';

interface MarketTarget {
  /** The endpoint, region and credentials of AWS clients. */
  readonly client: OperatorTarget['client'];
  readonly clients: DynamoClients;
  readonly secrets: SecretsManagerClient;
  readonly environment: Readonly<Record<string, string>>;
  readonly log: Log;
}

const PAGE = 100;
const RECENT_SECONDS = 30 * 86_400;

export function createMarket({ client, clients, secrets, environment, log }: MarketTarget) {
  const system = { clock: systemClock, ulid: systemUlid, log };
  const earnings = createEarningsStore({ clients, environment });
  const store = createPayoutStore({ clients, environment });
  const readSecret = createSecretReader({ client: secrets, environment, clock: systemClock, log });
  const provider = () => new StripePayouts({ environment, readSecret, clock: systemClock, log });
  const builds = createBuildStore({ clients, environment });
  const scanner = () => createScanner(createScanClient(client), bucketOf(environment));

  /** The sales of the last 30 days, and the part of them that was held or reversed. */
  async function recentSales(sellerId: string) {
    const since = Math.floor(systemClock() / 1000) - RECENT_SECONDS;
    const amounts: { sold: NanoUsd; heldOrReversed: NanoUsd } = { sold: 0n, heldOrReversed: 0n };
    for (let after: string | undefined; ; ) {
      const { entries, next } = await earnings.list(sellerId, PAGE, after);
      for (const { transaction, sale } of entries) {
        if (transaction.created < since) return amounts;
        if (transaction.type !== 'sale' || sale === undefined) continue;
        amounts.sold += sale.gross;
        if (sale.held || sale.status === 'reversed') amounts.heldOrReversed += sale.gross;
      }
      if (next === undefined) return amounts;
      after = next;
    }
  }

  async function readBuild(listingId: string, id: string): Promise<Build> {
    const build = await builds.find({ listingId, id });
    if (build === undefined) throw new Error(`the listing ${listingId} has no build ${id}`);
    return build;
  }

  return {
    build: readBuild,
    /** Requests a scan; its result arrives as an event. Returns false if the upload is not there any more. */
    rescan: async (listingId: string, id: string) =>
      (await scanner().request(await readBuild(listingId, id))) === 'requested',
    /** Processes the items of the market that are due. */
    processDue: () =>
      createDueProcessing(
        { clients, environment, ...system },
        { provider: provider() },
      )(Number.POSITIVE_INFINITY),
    reconcilePayouts: (acceptsDifferences: boolean) =>
      reconcilePayouts({ store, provider: provider(), ...system }, acceptsDifferences),
    seller: async (sellerId: string) => ({
      ...(await store.seller(sellerId)),
      ...(await recentSales(sellerId)),
    }),
    pausePayouts: (sellerId: string, isPaused: boolean) => store.pause(sellerId, isPaused),
    setMaturity: (sellerId: string, days: number) => store.setMaturity(sellerId, days),
  };
}
