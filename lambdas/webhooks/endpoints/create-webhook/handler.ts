/** `POST /api/v1/webhooks`: a new subscription, with its secret shown this once. */

import { keyOrSessionHandler } from '../../../access/handlers/handlers.ts';
import { createResolve, loopbackAllowed } from '../../../platform/connections/address-guard.ts';
import { hasAsMany, QUOTAS } from '../../../platform/core/api/quotas.ts';
import { ServiceError } from '../../../platform/core/errors.ts';
import { readJson, validate } from '../../../platform/core/json/json-body.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import { admit } from '../../core/access.ts';
import { requireWritable } from '../../core/event.ts';
import { createSchema } from '../../core/request.ts';
import { type Subscription, subscriptionEntry } from '../../core/subscription.ts';
import { checkTarget } from '../../core/target.ts';
import { createSigningSecretStore } from '../../store/create-webhook-stores.ts';
import { newSigningSecret } from '../../store/signing-secret-store.ts';

export const handler = keyOrSessionHandler('platform', (resources) => {
  const { environment, clock, ulid } = resources;
  const secrets = createSigningSecretStore(resources);
  const resolve = createResolve();
  const allowLoopback = loopbackAllowed(environment);
  return async (request) => {
    const { accountId, input, headers } = await admit(resources, request, async () => {
      const fields = validate(createSchema, (await readJson(request)).value);
      requireWritable(fields.events, resources.stage);
      return fields;
    });
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
    const max = QUOTAS.webhooks_per_account;
    if ((await secrets.create(subscription, secret, max)) === 'full')
      throw hasAsMany('webhook_quota', max, 'webhooks of one account').withHeaders(headers);
    return jsonResponse({ ...subscriptionEntry(subscription), secret }, headers, 201);
  };
});
