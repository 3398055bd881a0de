/** `POST /api/v1/webhooks`: a new subscription, with its secret shown this once. */
import { createResolve, loopbackAllowed } from '../../adapters/webhooks/address-guard.ts';
import { createSigningSecretStore } from '../../adapters/webhooks/create-webhook-stores.ts';
import { newSigningSecret } from '../../adapters/webhooks/signing-secret-store.ts';
import { hasAsMany, QUOTAS } from '../../core/api/quotas.ts';
import { ServiceError } from '../../core/errors.ts';
import { readJson, validate } from '../../core/json/json-body.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import { admit } from '../../core/webhooks/access.ts';
import { createSchema } from '../../core/webhooks/request.ts';
import { type Subscription, subscriptionEntry } from '../../core/webhooks/subscription.ts';
import { checkTarget } from '../../core/webhooks/target.ts';
import { keyOrSessionHandler } from '../../hosts/handlers.ts';

export const handler = keyOrSessionHandler('platform', (resources) => {
  const { environment, clock, ulid } = resources;
  const secrets = createSigningSecretStore(resources);
  const resolve = createResolve();
  const allowLoopback = loopbackAllowed(environment);
  return async (request) => {
    const { accountId, input, headers } = await admit(resources, request, async () =>
      validate(createSchema, (await readJson(request)).value),
    );
    const url = await checkTarget(input.url, allowLoopback, resolve).catch((failure: unknown) => {
      throw failure instanceof ServiceError ? failure.withHeaders(headers) : failure;
    });
    const subscription: Subscription = {
      accountId,
      id: `wh_${ulid()}`,
      url,
      events: input.events,
      description: input.description,
      status: 'active',
      disabledReason: undefined,
      created: Math.floor(clock() / 1000),
      failingSinceMs: undefined,
      notice: undefined,
    };
    const secret = newSigningSecret();
    const most = QUOTAS.webhooks_per_account;
    if ((await secrets.create(subscription, secret, most)) === 'full')
      throw hasAsMany('webhook_quota', most, 'webhooks of one account').withHeaders(headers);
    return jsonResponse({ ...subscriptionEntry(subscription), secret }, headers, 201);
  };
});
