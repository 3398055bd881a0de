/** `DELETE /api/v1/webhooks/{id}`: ends a subscription; deliveries in flight are dropped. */

import { keyOrSessionHandler } from '../../../access/handlers/handlers.ts';
import { deletedBody } from '../../../platform/core/api/response-schema.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import { admit, notFound, nothing } from '../../core/access.ts';
import { createSubscriptionStore } from '../../store/create-webhook-stores.ts';

export const handler = keyOrSessionHandler('platform', (resources) => {
  const subscriptions = createSubscriptionStore(resources);
  return async (request, { pathParameters }) => {
    const { accountId, headers } = await admit(resources, request, nothing);
    const { id = '' } = pathParameters;
    if (!(await subscriptions.remove({ accountId, id }))) throw notFound('webhook', headers);
    return jsonResponse(deletedBody(id, 'webhook'), headers);
  };
});
