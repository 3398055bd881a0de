/** The operator's work on the market: what is due, the comparison with the payment provider, builds, and sellers. */
import { paginateScan } from '@aws-sdk/client-dynamodb';
import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { Build } from '../../lambdas/marketplace/core/builds/build.ts';
import { SALE_PREFIX } from '../../lambdas/marketplace/core/earnings/ports.ts';
import { returnSale } from '../../lambdas/marketplace/core/earnings/postings.ts';
import type { Sale } from '../../lambdas/marketplace/core/earnings/sale.ts';
import { reconcilePayouts } from '../../lambdas/marketplace/core/payouts/reconcile.ts';
import { createScanClient, createScanner } from '../../lambdas/marketplace/store/builds/build-scanner.ts';
import { bucketOf, createBuildStore } from '../../lambdas/marketplace/store/create-builds.ts';
import { createDueProcessing } from '../../lambdas/marketplace/store/create-due.ts';
import { createEarningsStore } from '../../lambdas/marketplace/store/create-earnings.ts';
import { createPayoutStore } from '../../lambdas/marketplace/store/create-payouts.ts';
import { StripePayouts } from '../../lambdas/marketplace/store/payouts/stripe-payouts.ts';
import { decodeSale } from '../../lambdas/marketplace/store/sales/sale-writes.ts';
import type { DynamoClients } from '../../lambdas/platform/aws/clients.ts';
import { createSecretReader } from '../../lambdas/platform/aws/secrets.ts';
import { requireTable } from '../../lambdas/platform/contract/tables.ts';
import type { NanoUsd } from '../../lambdas/platform/core/money.ts';
import type { Log } from '../../lambdas/platform/core/ports.ts';
import { text } from '../../lambdas/platform/dynamodb/attribute-values.ts';
import { systemClock, systemUlid } from '../../lambdas/platform/system/system.ts';
import { operatorIdentity } from '../aws-account.ts';
import type { OperatorTarget } from '../target.ts';

interface MarketTarget {
  readonly target: OperatorTarget;
  readonly clients: DynamoClients;
  readonly secrets: SecretsManagerClient;
  readonly environment: Readonly<Record<string, string>>;
  readonly log: Log;
}

const PAGE = 100;
const RECENT_SECONDS = 30 * 86_400;

export function createMarket({ target, clients, secrets, environment, log }: MarketTarget) {
  const system = { clock: systemClock, ulid: systemUlid, log };
  const earnings = createEarningsStore({ clients, environment });
  const store = createPayoutStore({ clients, environment });
  const readSecret = createSecretReader({ client: secrets, environment, clock: systemClock, log });
  const provider = () => new StripePayouts({ environment, readSecret, clock: systemClock, log });
  const builds = createBuildStore({ clients, environment });
  const scanner = () => createScanner(createScanClient(target.client), bucketOf(environment));

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

  /** Reads the whole table: a charge does not name its seller, and the listing may be gone. */
  async function findSale(chargeId: string): Promise<Sale | undefined> {
    const input = {
      TableName: requireTable(environment, 'market'),
      FilterExpression: '#item = :item',
      ExpressionAttributeNames: { '#item': 'item' },
      ExpressionAttributeValues: { ':item': text(`${SALE_PREFIX}${chargeId}`) },
    };
    for await (const { Items: [item] = [] } of paginateScan({ client: clients.client }, input))
      if (item !== undefined) return decodeSale(item);
    return undefined;
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
    /** Returns all that is left of a sale to its buyer, and records the caller's identity and the reason. */
    async returnSale(chargeId: string, reason: string) {
      const note = { by: await operatorIdentity(target), reason };
      const sale = await findSale(chargeId);
      if (sale === undefined) throw new Error(`there is no sale with the charge ${chargeId}`);
      const { transactionId, amount } = await returnSale({ ...system, store: earnings }, sale, note);
      return { ...sale, transactionId, amount, by: note.by };
    },
    pausePayouts: (sellerId: string, isPaused: boolean) => store.pause(sellerId, isPaused),
    setMaturity: (sellerId: string, days: number) => store.setMaturity(sellerId, days),
  };
}
