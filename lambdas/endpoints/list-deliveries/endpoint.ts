/** `GET /api/v1/webhooks/{id}/deliveries`: what was delivered and tried, newest event first. */

import { pageBody, queryOf, ulidPageQuery } from '../../core/api/paging.ts';
import { validate } from '../../core/json/json-body.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import type { Endpoint } from '../../core/ports.ts';
import { admit, notFound, type WebhookAccess } from '../../core/webhooks/access.ts';
import { deliveryEntry } from '../../core/webhooks/delivery.ts';
import type { DeliveryStore, SubscriptionStore } from '../../core/webhooks/ports.ts';

export interface ListDeliveriesDependencies extends WebhookAccess {
  readonly subscriptions: Pick<SubscriptionStore, 'get'>;
  readonly deliveries: Pick<DeliveryStore, 'list'>;
}

const query = ulidPageQuery('dlv');

export function listDeliveries(dependencies: ListDeliveriesDependencies): Endpoint {
  const { subscriptions, deliveries } = dependencies;
  return async (request, { pathParameters }) => {
    const { accountId, input, headers } = await admit(dependencies, request, async () =>
      validate(query, queryOf(request)),
    );
    const subscription = await subscriptions.get({ accountId, id: pathParameters.id ?? '' });
    if (subscription === undefined) throw notFound('webhook', headers);
    const page = await deliveries.list({
      webhookId: subscription.id,
      limit: input.limit,
      order: 'newest',
      after: input.cursor,
    });
    return jsonResponse(pageBody({ entries: page.deliveries, next: page.next }, deliveryEntry), headers);
  };
}
