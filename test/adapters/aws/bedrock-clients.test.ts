import { describe, expect, it } from '@jest/globals';
import { bedrockRegionOf, createBedrockClients } from '../../../lambdas/adapters/aws/bedrock-clients.ts';

const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' };

describe('the region of an address of Bedrock', () => {
  it.each([
    ['https://bedrock-runtime.us-west-2.amazonaws.com', 'us-west-2'],
    ['https://bedrock-runtime.eu-central-1.amazonaws.com/openai/v1/chat/completions', 'eu-central-1'],
    ['https://bedrock-runtime-fips.us-gov-west-1.amazonaws.com', 'us-gov-west-1'],
    ['https://vpce-0a1b2c-d3e4.bedrock-runtime.us-east-1.vpce.amazonaws.com', 'us-east-1'],
    ['https://bedrock-runtime.us-east-2.api.aws', 'us-east-2'],
  ])('is the one that it names: %s', (url, region) => {
    expect(bedrockRegionOf(url)).toBe(region);
  });

  it.each([
    'http://127.0.0.1:8788',
    'https://api.openai.com/v1',
    'https://bedrock-runtime.us-west-2.amazonaws.com.example',
    'https://mybedrock-runtime.us-west-2.amazonaws.com',
  ])('is unknown of any other: %s', (url) => {
    expect(bedrockRegionOf(url)).toBeUndefined();
  });
});

describe('the clients of Bedrock', () => {
  it('are one for each address, in its region, with the function’s own credentials', async () => {
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
