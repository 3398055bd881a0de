/** The credentials of the scheduled smoke test, in a secret that the operator's command fills. */
import {
  CreateSecretCommand,
  GetSecretValueCommand,
  PutSecretValueCommand,
  ResourceExistsException,
  ResourceNotFoundException,
  type SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import * as z from 'zod';
import { VARIABLES } from '../../../platform/contract/environment.ts';

const schema = z.object({
  key: z.string().min(1),
  key_id: z.string().min(1),
  account_id: z.string().min(1),
  /** The addresses of the APIs, without a slash at the end. */
  inference: z.url(),
  platform: z.url(),
});

type SmokeAccess = z.infer<typeof schema>;

export interface StoredSmokeAccess {
  /** The secret's name. Throws where there is none: a local service has no secrets. */
  name(): string;
  /** Undefined as long as none was stored. Throws for another text, which it does not quote. */
  read(): Promise<SmokeAccess | undefined>;
  /** Makes the secret, or puts another value in it. */
  store(access: SmokeAccess): Promise<void>;
}

export function createSmokeAccess(
  client: SecretsManagerClient,
  environment: Readonly<Record<string, string | undefined>>,
): StoredSmokeAccess {
  const secret = environment[VARIABLES.smokeSecret];
  const name = (): string => {
    if (secret === undefined) throw new Error('the key is for a deployment: name its --stage');
    return secret;
  };
  return {
    name,
    read: async () => readSmokeAccess(client, name()),
    store: async (access) => storeSmokeAccess(client, name(), access),
  };
}

async function readSmokeAccess(client: SecretsManagerClient, name: string): Promise<SmokeAccess | undefined> {
  let text: string | undefined;
  try {
    ({ SecretString: text } = await client.send(new GetSecretValueCommand({ SecretId: name })));
  } catch (failure) {
    if (failure instanceof ResourceNotFoundException) return undefined;
    throw failure;
  }
  try {
    return schema.parse(JSON.parse(text ?? ''));
  } catch {
    // A parser's own message would quote the secret.
    throw new Error(`the secret ${name} is not what "smoke key" stores`);
  }
}

async function storeSmokeAccess(
  client: SecretsManagerClient,
  name: string,
  access: SmokeAccess,
): Promise<void> {
  const SecretString = JSON.stringify(access);
  try {
    await client.send(new CreateSecretCommand({ Name: name, SecretString }));
  } catch (failure) {
    if (!(failure instanceof ResourceExistsException)) throw failure;
    await client.send(new PutSecretValueCommand({ SecretId: name, SecretString }));
  }
}
