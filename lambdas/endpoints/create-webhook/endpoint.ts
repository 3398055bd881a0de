/** `POST /api/v1/webhooks`: a new subscription, with its secret shown this once. */

import { hasAsMany, QUOTAS } from '../../core/api/quotas.ts';
import { ServiceError } from '../../core/errors.ts';
import { readJson, validate } from '../../core/json/json-body.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import type { Clock, Endpoint, UlidSource } from '../../core/ports.ts';
import { admit, type WebhookAccess } from '../../core/webhooks/access.ts';
import type { SigningSecretStore } from '../../core/webhooks/ports.ts';
import { createSchema } from '../../core/webhooks/request.ts';
import { type Subscription, subscriptionEntry } from '../../core/webhooks/subscription.ts';
import { checkTarget, type Resolve } from '../../core/webhooks/target.ts';

export interface CreateWebhookDependencies extends WebhookAccess {
  readonly secrets: Pick<SigningSecretStore, 'create'>;
  readonly newSecret: () => string;
  readonly allowLoopback: boolean;
  readonly resolve: Resolve;
  readonly clock: Clock;
  readonly ulid: UlidSource;
}

export function createWebhook(dependencies: CreateWebhookDependencies): Endpoint {
  const { secrets, newSecret, allowLoopback, resolve, clock, ulid } = dependencies;
  return async (request) => {
    const { accountId, input, headers } = await admit(dependencies, request, async () =>
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
    const secret = newSecret();
    const most = QUOTAS.webhooks_per_account;
    if ((await secrets.create(subscription, secret, most)) === 'full')
      throw hasAsMany('webhook_quota', most, 'webhooks of one account').withHeaders(headers);
    return jsonResponse({ ...subscriptionEntry(subscription), secret }, headers, 201);
  };
}
