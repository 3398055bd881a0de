/** Secrets of a function: the reader of provider secrets, and the peppers of the secret that the environment names. */
import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { createSecretsClient } from '../../../platform/aws/clients.ts';
import { createPepperSource, createSecretReader } from '../../../platform/aws/secrets.ts';
import { requireVariable, VARIABLES } from '../../../platform/contract/environment.ts';
import type { Log } from '../../../platform/core/ports.ts';
import { systemClock } from '../../../platform/system/system.ts';

export interface SecretsOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
  readonly client?: SecretsManagerClient;
}

export function createSecrets({ environment, log, client = createSecretsClient() }: SecretsOptions) {
  const readSecret = createSecretReader({ client, environment, clock: systemClock, log });
  const secretId = requireVariable(environment, VARIABLES.keyPepperSecret);
  return { readSecret, peppers: createPepperSource(readSecret, secretId) };
}
