/** The pepper that proves keys genuine, from the secret that the environment names. */
import { requireVariable, VARIABLES } from '../contract/environment.ts';
import type { Log } from '../core/ports.ts';
import { createSecretsClient } from './clients.ts';
import { createPepperSource, createSecretReader } from './secrets.ts';
import { systemClock } from './system.ts';

export interface AccessOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
}

export function createAccess({ environment, log }: AccessOptions) {
  const readSecret = createSecretReader({
    client: createSecretsClient(),
    environment,
    clock: systemClock,
    log,
  });
  return {
    readSecret,
    peppers: createPepperSource(readSecret, requireVariable(environment, VARIABLES.keyPepperSecret)),
  };
}
