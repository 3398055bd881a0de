import {
  CreateSecretCommand,
  PutSecretValueCommand,
  ResourceExistsException,
  ResourceNotFoundException,
  type SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { describe, expect, it } from '@jest/globals';
import { createSmokeAccess } from '../../operations/store/smoke-test/access.ts';

const ACCESS = {
  key: 'uis_a-key',
  key_id: 'key_1',
  account_id: 'acct_1',
  inference: 'https://api.example.com/prod',
  platform: 'https://platform.example.com/prod',
};

/** Secrets Manager, of one secret. */
function secretsOf(stored?: string) {
  let text = stored;
  const send = async (command: unknown) => {
    const { SecretString: secret } = (command as { input: { SecretString?: string } }).input;
    if (command instanceof CreateSecretCommand) {
      if (text !== undefined) throw new ResourceExistsException({ message: 'there', $metadata: {} });
      text = secret;
    } else if (command instanceof PutSecretValueCommand) text = secret;
    else if (text === undefined) throw new ResourceNotFoundException({ message: 'gone', $metadata: {} });
    return { SecretString: text };
  };
  return { send } as unknown as SecretsManagerClient;
}

const accessOf = (client: SecretsManagerClient) => createSmokeAccess(client, { SMOKE_SECRET: 'prod/smoke' });

describe('the secret of the scheduled smoke test', () => {
  it('returns as it was stored, at first and after a change', async () => {
    const access = accessOf(secretsOf());
    expect(await access.read()).toBeUndefined();
    await access.store(ACCESS);
    expect(await access.read()).toEqual(ACCESS);
    await access.store({ ...ACCESS, key: 'uis_another' });
    expect(await access.read()).toMatchObject({ key: 'uis_another' });
  });

  it.each([['uis_a-key'], ['{"key":"uis_a-key"}']])(
    'causes an error that does not repeat its text if it is %s',
    async (text) => {
      const failure = await accessOf(secretsOf(text))
        .read()
        .catch((error: Error) => error);
      expect(String(failure)).toMatch('the secret prod/smoke is not what "smoke key" stores');
      expect(String(failure)).not.toMatch('uis_');
    },
  );

  it('hides no other failure', async () => {
    const send = async () => {
      throw new Error('denied');
    };
    await expect(accessOf({ send } as never).read()).rejects.toThrow('denied');
  });

  it('causes an error if the environment does not set its name', async () => {
    await expect(createSmokeAccess(secretsOf(), {}).read()).rejects.toThrow('name its --stage');
  });
});
