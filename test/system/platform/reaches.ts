/** For each route that identifies its caller, the request that names what belongs to an account. */
import { decodeTime } from 'ulid';
import type { Route } from '../../../lambdas/platform/contract/route.ts';
import { until } from '../../../tools/test-kit/waiting.ts';
import type { Owner } from '../owner.ts';
import type { Service } from '../service.ts';

/** The objects of one account. */
export interface Belongings {
  readonly accountId: string;
  readonly owner: Owner;
  readonly keyId: string;
  readonly key: string;
  readonly orderId: string;
  readonly requestId: string;
  readonly webhookId: string;
  readonly deliveryId: string;
  /** Listing ids by collection: `apps` and `ai-agents`. */
  readonly listingIds: Readonly<Record<string, string>>;
  /** Free listings, which a purchase for 0 is possible of, by collection. */
  readonly freeListingIds: Readonly<Record<string, string>>;
  /** Free listings that nobody acquires, by collection. */
  readonly unsoldListingIds: Readonly<Record<string, string>>;
  /** A build of each listing, by collection. */
  readonly buildIds: Readonly<Record<string, string>>;
  /** Its subscription to its own app. */
  readonly subscriptionId: string;
  /** A purchase of one of its listings; empty until `sellOnce`. */
  readonly chargeId: string;
}

/** Nothing listens there: what is sent to it fails, and waits. */
export const RECEIVER = 'http://127.0.0.1:9/';

/** A stranger who subscribes is in the trial until the end of the tests. */
const PLAN = { id: 'basic', name: 'Basic', interval: 'year', amount: 1, currency: 'USD', trial_days: 90 };

const BUILD = { filename: 'a.zip', size: 1, sha256: '0'.repeat(64) };

let listings = 0;
/** The fields of a listing that there is not yet. */
const newListing = () => {
  listings += 1;
  return { name: `Listing ${listings}`, summary: 'A summary.', category: 'tools', plans: [PLAN] };
};

/** One of everything that an account can have, once its owner has bought that credit. */
export async function makeBelongings(service: Service, owner: Owner, credit: number): Promise<Belongings> {
  const { order_id: orderId } = await owner.buy(credit);
  await owner.send('PUT', '/api/v1/alerts', { balance_low_days: 31 });
  const { id: keyId, key } = await owner.createKey({ name: 'own', policy: { daily_usd: 3, rpm: 100_000 } });
  const call = await service.chat(
    { model: 'sim/chat', messages: [{ role: 'user', content: 'Hi' }] },
    { key },
  );
  const requestId = call.headers.get('x-request-id') ?? '';
  const make = async (path: string, body: object) => {
    const { id } = (await (await owner.send('POST', path, body)).json()) as { readonly id: string };
    return id;
  };
  const webhookId = await make('/api/v1/webhooks', { url: RECEIVER, events: ['review.created'] });
  const deliveryId = await make(`/api/v1/webhooks/${webhookId}/test`, {});
  // Its address names the account. The layout is permitted within seconds of the finish.
  await owner.send('PUT', '/api/v1/telemetry', { url: `${RECEIVER}${owner.id}` });
  const listingIds: Record<string, string> = {};
  const freeListingIds: Record<string, string> = {};
  const unsoldListingIds: Record<string, string> = {};
  const buildIds: Record<string, string> = {};
  for (const collection of ['apps', 'ai-agents']) {
    const id = await make(`/${collection}`, newListing());
    await owner.send('POST', `/${collection}/${id}/releases`, { version: '2.0.0' });
    await owner.send('POST', `/${collection}/${id}/install`);
    listingIds[collection] = id;
    freeListingIds[collection] = await make(`/${collection}`, { ...newListing(), plans: [] });
    unsoldListingIds[collection] = await make(`/${collection}`, { ...newListing(), plans: [] });
    buildIds[collection] = await make(`/${collection}/${id}/builds`, BUILD);
  }
  const subscriptionId = await make(`/apps/${listingIds.apps}/subscribe`, { plan: PLAN.id, amount: 1 });
  return {
    accountId: owner.id,
    owner,
    keyId,
    key,
    orderId,
    requestId,
    webhookId,
    deliveryId,
    listingIds,
    freeListingIds,
    unsoldListingIds,
    buildIds,
    subscriptionId,
    chargeId: '',
  };
}

/** The account has sold something, whose price is available to it. */
export async function sellOnce(service: Service, to: Owner, seller: Belongings): Promise<Belongings> {
  const price = { amount: 100, currency: 'USD' };
  const listed = await seller.owner.send('POST', '/apps', { ...newListing(), price });
  const { id } = (await listed.json()) as { readonly id: string };
  const bought = await to.send('POST', `/apps/${id}/purchase`, price);
  const { id: chargeId } = (await bought.json()) as { readonly id: string };
  await until(
    async () => {
      await service.admin('market', 'run');
      return seller.owner.json('/api/v1/earnings');
    },
    ({ available }) => available === 1,
  );
  return { ...seller, chargeId };
}

interface IsolationCase {
  /** The path that names what belongs to an account; undefined when the route names nothing. */
  readonly path?: (of: NamedIds, route: Route) => string;
  /** The path of a route that names nothing, but needs more than the path of its row. */
  readonly listPath?: (of: NamedIds) => string;
  readonly body?: object | ((of: NamedIds) => object);
  /** Returns a text that the owner's response contains; present for every route that reads. */
  readonly shows?: (of: NamedIds, route: Route) => string;
  /** A thing that everybody sees: a stranger's `owner-acts` is 403, and anybody's `anybody-acts` succeeds. */
  readonly publicAccess?: 'owner-acts' | 'anybody-acts';
  /** The status for the account itself, which has no such object: the tests of these objects show its success. */
  readonly ownStatus?: number;
  /** Ends the session that calls it. */
  readonly endsSession?: true;
}

export type NamedIds = Omit<Belongings, 'owner'>;

const ofWebhook = { path: ({ webhookId }: NamedIds, { path }: Route) => path.replace('{id}', webhookId) };
const ofSubscription = {
  path: ({ subscriptionId }: NamedIds, { path }: Route) => path.replace('{id}', subscriptionId),
};
const ofPayout = {
  path: (_of: NamedIds, { path }: Route) => path.replace('{id}', `po_${'0'.repeat(26)}`),
};

const collectionOf = (path: string): string => path.split('/')[1] ?? '';

/** Names the object in the path, or in the query of a route on its collection. */
const named = (path: string, id: string): string =>
  path.includes('{id}') ? path.replace('{id}', id) : `${path}?id=${id}`;

const ofListing = {
  path: ({ listingIds }: NamedIds, { path }: Route) =>
    named(path, listingIds[collectionOf(path)] ?? '').replace('{version}', '1.0.0'),
};
const ofAnybodyForFree = {
  path: ({ freeListingIds }: NamedIds, { path }: Route) =>
    named(path, freeListingIds[collectionOf(path)] ?? ''),
  publicAccess: 'anybody-acts',
} as const;
const ofOwner = { ...ofListing, publicAccess: 'owner-acts' } as const;
const ofAnybody = { ...ofListing, publicAccess: 'anybody-acts' } as const;

/** The calls by key, from the day before that of a call on. */
const byKey = ({ requestId }: NamedIds): string =>
  `start_time=${Math.floor(decodeTime(requestId.slice(4)) / 1000) - 86_400}&group_by=api_key_id`;

/** One row for each endpoint that identifies its caller. */
export const ISOLATION_CASES: Readonly<Record<string, IsolationCase>> = {
  'get-account': { shows: ({ accountId }) => accountId },
  'delete-session': { body: { everywhere: true }, endsSession: true },
  'renew-session': { endsSession: true },
  'create-key': { body: { name: 'new' } },
  'list-keys': { shows: ({ keyId }) => keyId },
  'update-key': { path: ({ keyId }) => `/api-keys/${keyId}`, body: { disabled: true, name: 'taken over' } },
  'delete-key': { path: ({ keyId }, { path }) => named(path, keyId) },
  'rotate-key': { path: ({ keyId }) => `/api-keys/${keyId}/rotate`, body: { overlap_seconds: 0 } },
  'create-order': { body: { amount: 1, currency: 'USD' } },
  'list-orders': { shows: ({ orderId }) => orderId },
  'get-order': { path: ({ orderId }) => `/api/orders/${orderId}`, shows: ({ orderId }) => orderId },
  'get-credits': { path: ({ keyId }) => `/credits/${keyId}`, shows: ({ keyId }) => keyId },
  'get-balance': { shows: () => 'account_balance' },
  'get-alerts': { shows: () => '"balance_low_days":31' },
  'update-alerts': { body: { balance_low_days: 32 } },
  'list-account-usage': { shows: ({ requestId }) => requestId },
  'list-usage-rollups': { shows: () => '"complete":true' },
  'get-account-usage': {
    path: ({ requestId }) => `/api/v1/usage/${requestId}`,
    shows: ({ requestId }) => requestId,
  },
  'list-organization-usage': {
    listPath: (of) => `/v1/organization/usage/completions?${byKey(of)}`,
    shows: ({ keyId }) => keyId,
  },
  'list-organization-costs': {
    listPath: (of) => `/v1/organization/costs?${byKey(of)}`,
    shows: ({ keyId }) => keyId,
  },
  'list-usage': { shows: ({ requestId }) => requestId },
  'get-usage': { path: ({ requestId }) => `/v1/usage/${requestId}`, shows: ({ requestId }) => requestId },
  'count-message-tokens': {
    body: { model: 'sim/chat', max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }] },
  },
  'count-response-tokens': { body: { model: 'sim/chat', input: 'Hi' } },
  'create-webhook': { body: { url: RECEIVER, events: ['review.created'] } },
  'list-webhooks': { shows: ({ webhookId }) => webhookId },
  'get-webhook': { ...ofWebhook, shows: ({ webhookId }) => webhookId },
  'update-webhook': { ...ofWebhook, body: { events: ['payout.paid'] } },
  'delete-webhook': ofWebhook,
  'rotate-webhook-secret': ofWebhook,
  'test-webhook': { ...ofWebhook, body: {} },
  'list-deliveries': { ...ofWebhook, shows: ({ deliveryId }) => deliveryId },
  'redeliver-webhook': {
    path: (of, route) => ofWebhook.path(of, route).replace('{delivery_id}', of.deliveryId),
  },
  'recover-webhook': { ...ofWebhook, body: { since: '2026-01-01T00:00:00Z' } },
  'get-telemetry': { shows: ({ accountId }) => accountId },
  'set-telemetry': { body: { url: RECEIVER } },
  'delete-telemetry': {},
  'create-listing': { body: newListing },
  'update-listing': { ...ofOwner, body: { name: 'Taken over' } },
  'delete-listing': ofOwner,
  'create-release': { ...ofOwner, body: { version: '6.6.6' } },
  'rollback-release': ofOwner,
  'create-build': { ...ofOwner, body: BUILD },
  'list-builds': { ...ofOwner, shows: ({ buildIds }, { path }) => buildIds[collectionOf(path)] ?? '' },
  'get-build': {
    ...ofOwner,
    path: (of, route) =>
      ofListing.path(of, route).replace('{build_id}', of.buildIds[collectionOf(route.path)] ?? ''),
    shows: ({ buildIds }, { path }) => buildIds[collectionOf(path)] ?? '',
  },
  'get-artifact': { ...ofAnybody, ownStatus: 404 },
  'install-listing': ofAnybody,
  'purchase-listing': { ...ofAnybodyForFree, body: { amount: 0 } },
  'subscribe-listing': { ...ofAnybody, body: { plan: PLAN.id, amount: 1 } },
  'list-subscriptions': { shows: ({ subscriptionId }) => subscriptionId },
  'get-subscription': { ...ofSubscription, shows: ({ subscriptionId }) => subscriptionId },
  'update-subscription': { ...ofSubscription, body: { cancel_at_period_end: true } },
  'cancel-subscription': ofSubscription,
  'list-entitlements': { shows: ({ listingIds }) => listingIds.apps ?? '' },
  // Its owner has not bought it.
  'create-entitlement-token': ofAnybody,
  'create-review': {
    path: ({ unsoldListingIds }, { path }) => named(path, unsoldListingIds[collectionOf(path)] ?? ''),
    body: { rating: 1 },
    // Nobody is a customer of it.
    publicAccess: 'anybody-acts',
    ownStatus: 403,
  },
  'list-acquisitions': { shows: ({ listingIds }) => listingIds.apps ?? '' },
  'get-earnings': { shows: () => '"object":"earnings"' },
  'list-earnings-transactions': { shows: ({ chargeId }) => chargeId },
  'transfer-earnings': { body: { amount: 0.01 } },
  'create-payout-account': { body: { country: 'DE' } },
  'create-payout': { body: {}, ownStatus: 402 },
  'list-payouts': { shows: () => '"object":"list"' },
  'get-payout': { ...ofPayout, ownStatus: 404 },
  'cancel-payout': { ...ofPayout, ownStatus: 404 },
  'create-refund': {
    path: (_of, { path }) => path,
    body: ({ chargeId }: NamedIds) => ({ charge: chargeId, amount: 1 }),
  },
};

/** Names of nothing. */
export const NOBODYS: NamedIds = {
  accountId: `acc_${'0'.repeat(26)}`,
  keyId: `key_${'0'.repeat(26)}`,
  orderId: `ord_${'0'.repeat(26)}`,
  requestId: `req_${'0'.repeat(26)}`,
  key: `uis_${'0'.repeat(124)}`,
  webhookId: `wh_${'0'.repeat(26)}`,
  deliveryId: `dlv_${'0'.repeat(26)}`,
  listingIds: { apps: `lst_${'0'.repeat(26)}`, 'ai-agents': `lst_${'0'.repeat(26)}` },
  freeListingIds: { apps: `lst_${'0'.repeat(26)}`, 'ai-agents': `lst_${'0'.repeat(26)}` },
  unsoldListingIds: { apps: `lst_${'0'.repeat(26)}`, 'ai-agents': `lst_${'0'.repeat(26)}` },
  buildIds: { apps: `build_${'0'.repeat(26)}`, 'ai-agents': `build_${'0'.repeat(26)}` },
  subscriptionId: `sub_${'0'.repeat(26)}`,
  chargeId: `pur_${'0'.repeat(26)}`,
};
