/** `PATCH /api/v1/webhooks/{id}`: changes the fields that are sent, effective from the next attempt. */

import { keyOrSessionHandler } from '../../../access/handlers/handlers.ts';
import { createResolve, loopbackAllowed } from '../../../platform/connections/address-guard.ts';
import { ServiceError } from '../../../platform/core/errors.ts';
import { readJson, validate } from '../../../platform/core/json/json-body.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import { admit, notFound } from '../../core/access.ts';
import { requireWritable } from '../../core/event.ts';
import { updateSchema } from '../../core/request.ts';
import { subscriptionEntry } from '../../core/subscription.ts';
import { checkTarget } from '../../core/target.ts';
import { createSubscriptionStore } from '../../store/create-webhook-stores.ts';

export const handler = keyOrSessionHandler('platform', (resources) => {
  const subscriptions = createSubscriptionStore(resources);
  const allowLoopback = loopbackAllowed(resources.environment);
  const resolve = createResolve();
  return async (request, { pathParameters }) => {
    const { accountId, input, headers } = await admit(resources, request, async () => {
      const fields = validate(updateSchema, (await readJson(request)).value);
      requireWritable(fields.events ?? [], resources.stage);
      return fields;
    });
    const url =
      input.url === undefined
        ? undefined
        : await checkTarget(input.url, allowLoopback, resolve).catch((failure: unknown) => {
            throw failure instanceof ServiceError ? failure.withHeaders(headers) : failure;
          });
    const changed = await subscriptions.update({ accountId, id: pathParameters.id ?? '' }, { ...input, url });
    if (changed === undefined) throw notFound('webhook', headers);
    return jsonResponse(subscriptionEntry(changed), headers);
  };
});
