/** `PATCH /api/v1/webhooks/{id}`: changes the fields that are sent, effective from the next attempt. */
import { createResolve, loopbackAllowed } from '../../adapters/webhooks/address-guard.ts';
import { createSubscriptionStore } from '../../adapters/webhooks/create-webhook-stores.ts';
import { ServiceError } from '../../core/errors.ts';
import { readJson, validate } from '../../core/json/json-body.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import { admit, notFound } from '../../core/webhooks/access.ts';
import { updateSchema } from '../../core/webhooks/request.ts';
import { subscriptionEntry } from '../../core/webhooks/subscription.ts';
import { checkTarget } from '../../core/webhooks/target.ts';
import { keyOrSessionHandler } from '../../hosts/handlers.ts';

export const handler = keyOrSessionHandler('platform', (resources) => {
  const subscriptions = createSubscriptionStore(resources);
  const allowLoopback = loopbackAllowed(resources.environment);
  const resolve = createResolve();
  return async (request, { pathParameters }) => {
    const { accountId, input, headers } = await admit(resources, request, async () =>
      validate(updateSchema, (await readJson(request)).value),
    );
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
