/** `PATCH /api/v1/webhooks/{id}`: changes the fields that are sent, effective from the next attempt. */
import { ServiceError } from '../../core/errors.ts';
import { readJson, validate } from '../../core/json/json-body.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import type { Endpoint } from '../../core/ports.ts';
import { admit, notFound, type WebhookAccess } from '../../core/webhooks/access.ts';
import type { SubscriptionStore } from '../../core/webhooks/ports.ts';
import { updateSchema } from '../../core/webhooks/request.ts';
import { subscriptionEntry } from '../../core/webhooks/subscription.ts';
import { checkTarget, type Resolve } from '../../core/webhooks/target.ts';

export interface UpdateWebhookDependencies extends WebhookAccess {
  readonly subscriptions: Pick<SubscriptionStore, 'update'>;
  readonly allowLoopback: boolean;
  readonly resolve: Resolve;
}

export function updateWebhook(dependencies: UpdateWebhookDependencies): Endpoint {
  const { subscriptions, allowLoopback, resolve } = dependencies;
  return async (request, { pathParameters }) => {
    const { accountId, input, headers } = await admit(dependencies, request, async () =>
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
}
