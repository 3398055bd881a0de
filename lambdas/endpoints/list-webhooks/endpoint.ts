/** `GET /api/v1/webhooks`: the account's subscriptions, oldest first. */
import { validate } from '../../core/json/json-body.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import type { Endpoint } from '../../core/ports.ts';
import { admit, type WebhookAccess } from '../../core/webhooks/access.ts';
import { DEFAULT_LIMIT, pageEntry, pageQuery } from '../../core/webhooks/paging.ts';
import type { SubscriptionStore } from '../../core/webhooks/ports.ts';
import { subscriptionEntry } from '../../core/webhooks/subscription.ts';

export interface ListWebhooksDependencies extends WebhookAccess {
  readonly subscriptions: Pick<SubscriptionStore, 'list'>;
}

const query = pageQuery('wh');

export function listWebhooks(dependencies: ListWebhooksDependencies): Endpoint {
  return async (request) => {
    const { accountId, input, headers } = await admit(dependencies, request, async () =>
      validate(query, Object.fromEntries(new URL(request.url).searchParams)),
    );
    const page = await dependencies.subscriptions.list({
      accountId,
      limit: input.limit ?? DEFAULT_LIMIT,
      after: input.cursor,
    });
    return jsonResponse(pageEntry(page.subscriptions.map(subscriptionEntry), page.next), headers);
  };
}
