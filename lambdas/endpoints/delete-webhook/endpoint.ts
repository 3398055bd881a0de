/** `DELETE /api/v1/webhooks/{id}`: ends a subscription; deliveries in flight are dropped. */
import { deletedBody } from '../../core/api/response-schema.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import type { Endpoint } from '../../core/ports.ts';
import { admit, notFound, type WebhookAccess } from '../../core/webhooks/access.ts';
import type { SubscriptionStore } from '../../core/webhooks/ports.ts';

export interface DeleteWebhookDependencies extends WebhookAccess {
  readonly subscriptions: Pick<SubscriptionStore, 'remove'>;
}

export function deleteWebhook(dependencies: DeleteWebhookDependencies): Endpoint {
  return async (request, { pathParameters }) => {
    const { accountId, headers } = await admit(dependencies, request, async () => undefined);
    const { id = '' } = pathParameters;
    if (!(await dependencies.subscriptions.remove({ accountId, id }))) throw notFound('webhook', headers);
    return jsonResponse(deletedBody(id, 'webhook'), headers);
  };
}
