import { describe, expect, it } from '@jest/globals';
import { createBedrockClients } from './bedrock-clients.ts';

const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' };

describe('the clients of Bedrock', () => {
  it('exist once per address, in its region, with the function’s own credentials', async () => {
    const { client } = createBedrockClients({ region: 'us-east-1', credentials });
    const west = client('https://bedrock-runtime.us-west-2.amazonaws.com');
    expect(client('https://bedrock-runtime.us-west-2.amazonaws.com')).toBe(west);
    expect(client('')).not.toBe(west);
    expect(await west.config.region()).toBe('us-west-2');
    expect((await west.config.endpoint?.())?.hostname).toBe('bedrock-runtime.us-west-2.amazonaws.com');
    expect(await client('').config.region()).toBe('us-east-1');
    expect(client('').config.endpoint).toBeUndefined();
    expect(await client('http://127.0.0.1:9').config.region()).toBe('us-east-1');
    expect(await west.config.credentials()).toMatchObject(credentials);
  });

  it('send each request once', async () => {
    const { client } = createBedrockClients({ region: 'us-east-1', credentials });
    expect(await client('').config.maxAttempts()).toBe(1);
  });
});
