/** `DELETE /api/v1/webhooks/{id}`: ends a subscription; deliveries in flight are dropped. */
import { createSubscriptionStore } from '../../adapters/webhooks/create-webhook-stores.ts';
import { deletedBody } from '../../core/api/response-schema.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import { admit, notFound, nothing } from '../../core/webhooks/access.ts';
import { keyOrSessionHandler } from '../../hosts/handlers.ts';

export const handler = keyOrSessionHandler('platform', (resources) => {
  const subscriptions = createSubscriptionStore(resources);
  return async (request, { pathParameters }) => {
    const { accountId, headers } = await admit(resources, request, nothing);
    const { id = '' } = pathParameters;
    if (!(await subscriptions.remove({ accountId, id }))) throw notFound('webhook', headers);
    return jsonResponse(deletedBody(id, 'webhook'), headers);
  };
});
