/** `GET /api/v1/webhooks/{id}/deliveries`: deliveries and their attempts, newest event first. */

import { pageBody, queryOf, ulidPageQuery } from '../../core/api/paging.ts';
import { validate } from '../../core/json/json-body.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import type { Endpoint } from '../../core/ports.ts';
import { admitTo, type SubscriptionAccess } from '../../core/webhooks/access.ts';
import { deliveryEntry } from '../../core/webhooks/delivery.ts';
import type { DeliveryStore } from '../../core/webhooks/ports.ts';

export interface ListDeliveriesDependencies extends SubscriptionAccess {
  readonly deliveries: Pick<DeliveryStore, 'list'>;
}

const query = ulidPageQuery('dlv');
const readQuery = async (request: Request) => validate(query, queryOf(request));

export function listDeliveries(dependencies: ListDeliveriesDependencies): Endpoint {
  return async (request, { pathParameters: { id = '' } }) => {
    const { input, headers } = await admitTo(dependencies, request, id, readQuery);
    const { limit, cursor: after } = input;
    const page = await dependencies.deliveries.list({ webhookId: id, limit, order: 'newest', after });
    return jsonResponse(pageBody(page, deliveryEntry), headers);
  };
}
