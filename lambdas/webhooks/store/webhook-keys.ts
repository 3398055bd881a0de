/**
 * Seals and opens stored data of webhooks, under the key in Secrets Manager. During a rotation, it also opens data that
 * the previous key sealed.
 */
import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { createSecretsClient } from '../../platform/aws/clients.ts';
import { createRotatedSource, createSecretReader, type RotatedSecret } from '../../platform/aws/secrets.ts';
import { requireVariable, VARIABLES } from '../../platform/contract/environment.ts';
import type { Log } from '../../platform/core/ports.ts';
import { type Purpose, seal, unseal } from '../../platform/system/sealing.ts';
import { systemClock } from '../../platform/system/system.ts';

export interface Sealer {
  seal(purpose: Purpose, id: string, text: string): Promise<Buffer>;
  /** Throws when the bytes were changed, or belong to another row or purpose. */
  open(purpose: Purpose, id: string, bytes: Uint8Array): Promise<string>;
}

export function createSealer(keys: () => Promise<RotatedSecret>): Sealer {
  return {
    async seal(purpose, id, text) {
      return seal({ secret: (await keys()).current, purpose, id }, text);
    },
    async open(purpose, id, bytes) {
      const { current, previous } = await keys();
      try {
        return await unseal({ secret: current, purpose, id }, bytes);
      } catch (failure) {
        if (previous === undefined) throw failure;
        return unseal({ secret: previous, purpose, id }, bytes);
      }
    },
  };
}

export interface WebhookKeyOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
  readonly secrets?: SecretsManagerClient;
}

/** Over the secret that the environment names. */
export function createWebhookSealer({
  environment,
  log,
  secrets = createSecretsClient(),
}: WebhookKeyOptions): Sealer {
  const secretId = requireVariable(environment, VARIABLES.webhookKeySecret);
  const read = createSecretReader({ client: secrets, environment, clock: systemClock, log });
  return createSealer(createRotatedSource(read, secretId, 'the webhook key'));
}
