/** `GET /api/v1/webhooks`: the account's subscriptions, oldest first. */

import { pageBody, queryOf, ulidPageQuery } from '../../core/api/paging.ts';
import { validate } from '../../core/json/json-body.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import type { Endpoint } from '../../core/ports.ts';
import { admit, type WebhookAccess } from '../../core/webhooks/access.ts';
import type { SubscriptionStore } from '../../core/webhooks/ports.ts';
import { subscriptionEntry } from '../../core/webhooks/subscription.ts';

export interface ListWebhooksDependencies extends WebhookAccess {
  readonly subscriptions: Pick<SubscriptionStore, 'list'>;
}

const query = ulidPageQuery('wh');

export function listWebhooks(dependencies: ListWebhooksDependencies): Endpoint {
  return async (request) => {
    const { accountId, input, headers } = await admit(dependencies, request, async () =>
      validate(query, queryOf(request)),
    );
    const page = await dependencies.subscriptions.list({
      accountId,
      limit: input.limit,
      after: input.cursor,
    });
    return jsonResponse(
      pageBody({ entries: page.subscriptions, next: page.next }, subscriptionEntry),
      headers,
    );
  };
}
