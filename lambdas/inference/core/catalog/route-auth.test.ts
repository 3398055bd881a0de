import { describe, expect, it } from '@jest/globals';
import { modelsOf } from '../../testing/catalog/models.ts';
import { awsAddressOf, signedFor } from './aws-address.ts';

describe('an address of AWS', () => {
  it.each([
    ['https://bedrock-runtime.us-west-2.amazonaws.com', 'bedrock', 'us-west-2'],
    ['https://bedrock-runtime.eu-central-1.amazonaws.com/openai/v1', 'bedrock', 'eu-central-1'],
    ['https://bedrock-runtime-fips.us-gov-west-1.amazonaws.com', 'bedrock', 'us-gov-west-1'],
    ['https://vpce-0a1b2c-d3e4.bedrock-runtime.us-east-1.vpce.amazonaws.com', 'bedrock', 'us-east-1'],
    ['https://bedrock-runtime.us-east-2.api.aws', 'bedrock', 'us-east-2'],
    ['https://bedrock-mantle.us-east-1.api.aws/anthropic/v1', 'bedrock-mantle', 'us-east-1'],
    ['https://vpce-1-2.bedrock-mantle.us-east-1.vpce.amazonaws.com/v1', 'bedrock-mantle', 'us-east-1'],
    ['https://bedrock-runtime.cn-north-1.amazonaws.com.cn', 'bedrock', 'cn-north-1'],
    ['https://bedrock-runtime.eusc-de-east-1.amazonaws.eu', 'bedrock', 'eusc-de-east-1'],
    ['https://aws-external-anthropic.us-west-2.api.aws/v1', 'aws-external-anthropic', 'us-west-2'],
    ['https://polly.eu-central-1.amazonaws.com', 'polly', 'eu-central-1'],
    ['https://polly-fips.us-east-1.amazonaws.com', 'polly', 'us-east-1'],
    ['https://vpce-1-2.polly.us-east-1.vpce.amazonaws.com', 'polly', 'us-east-1'],
  ])('names its service and region: %s', (url, service, region) => {
    expect(awsAddressOf(url)).toEqual({ service, region });
    const other = { aws_service: 'bedrock', aws_region: 'eu-west-1' } as const;
    expect(signedFor({ base_url: url, ...other })).toEqual({ service, region });
  });

  it.each([
    'http://127.0.0.1:8788',
    'https://api.openai.com/v1',
    'https://bedrock-runtime.us-west-2.amazonaws.com.example',
    'https://bedrock-mantle.us-east-1.api.aws.example',
    'https://mybedrock-runtime.us-west-2.amazonaws.com',
    'https://example.com/bedrock-runtime.us-west-2.amazonaws.com',
  ])('identifies no service and leaves the choice to the route: %s', (url) => {
    expect(awsAddressOf(url)).toBeUndefined();
    expect(signedFor({ base_url: url })).toBeUndefined();
    const named = { aws_service: 'bedrock-mantle', aws_region: 'eu-west-1' } as const;
    expect(signedFor({ base_url: url, ...named })).toEqual({
      service: 'bedrock-mantle',
      region: 'eu-west-1',
    });
  });
});

/** Returns the faults of a route, by field. */
function faultsOf(route: object, model: object = {}): string[] {
  try {
    modelsOf({ ...model, routes: [{ base_url: undefined, ...route }] });
    return [];
  } catch (failure) {
    const lines = (failure as Error).message.matchAll(/✖ (.*)\n\s+→ at models\[0\]\.routes\[0\]\.(\w+)/g);
    return [...lines].map(([, message, field]) => `${field} ${message}`);
  }
}

const RUNTIME = 'https://bedrock-runtime.us-east-1.amazonaws.com/anthropic/v1';
const PLATFORM = 'https://aws-external-anthropic.us-east-1.api.aws/v1';
const OWN = 'https://bedrock.internal.example/v1';

describe('a route that is signed', () => {
  it.each([
    ['openai', RUNTIME, {}],
    ['openai-responses', 'https://bedrock-mantle.us-east-1.api.aws/v1', {}],
    ['anthropic', RUNTIME, {}],
    ['anthropic', PLATFORM, { workspace: 'wrkspc_01AbC' }],
    ['anthropic', OWN, { aws_service: 'bedrock-mantle' }],
    ['anthropic', OWN, { aws_service: 'bedrock', aws_region: 'us-gov-west-1' }],
    ['openai', OWN, { aws_service: 'bedrock', aws_region: 'eusc-de-east-1' }],
  ])('accepts %s at %s with %j', (protocol, base_url, fields) => {
    expect(faultsOf({ protocol, base_url, auth: 'sigv4', ...fields })).toEqual([]);
  });

  it.each([
    [{ secret: 'env:KEY' }, ["secret must be absent: the function's role signs"]],
    [{ aws_service: 'bedrock' }, ['aws_service must be absent: the host names it']],
    [{ aws_region: 'us-east-1' }, ['aws_region must be absent: the host names it']],
    [
      { base_url: OWN },
      [
        'aws_service is required: the host is none of bedrock-runtime.{region}.amazonaws.com, bedrock-mantle.{region}.api.aws and aws-external-anthropic.{region}.api.aws, which name their service',
      ],
    ],
    [{ base_url: PLATFORM }, ['workspace is required: Claude Platform on AWS takes no call without it']],
    [
      { base_url: OWN, aws_service: 'aws-external-anthropic' },
      ['workspace is required: Claude Platform on AWS takes no call without it'],
    ],
    [{ protocol: 'openai', workspace: 'w' }, ['workspace is for the protocol "anthropic" only']],
    [{ protocol: 'openai', cancels: true }, ['cancels is for the protocol "anthropic" only']],
    [{ auth: undefined, base_url: OWN, aws_service: 'bedrock' }, ['aws_service is for auth "sigv4" only']],
    [{ auth: undefined, base_url: OWN, aws_region: 'us-east-1' }, ['aws_region is for auth "sigv4" only']],
    [{ protocol: 'bedrock', base_url: undefined }, ['auth must be absent: the protocol signs by itself']],
    [{ base_url: undefined }, ['base_url is required']],
  ])('names what does not fit: %j', (fields, faults) => {
    expect(faultsOf({ protocol: 'anthropic', base_url: RUNTIME, auth: 'sigv4', ...fields })).toEqual(faults);
  });

  it.each([
    ['aws_region', { aws_region: 'somewhere' }],
    ['workspace', { workspace: 'a b' }],
    ['aws_service', { aws_service: 's3' }],
  ])('rejects a malformed %s', (field, fields) => {
    const route = { protocol: 'anthropic', base_url: OWN, auth: 'sigv4', aws_service: 'bedrock', ...fields };
    expect(faultsOf(route)).toEqual([expect.stringMatching(new RegExp(`^${field} `))]);
  });

  it('accepts a workspace with a key, as Claude Platform on AWS requires it', () => {
    const keyed = { protocol: 'anthropic', base_url: PLATFORM, secret: 'env:KEY' };
    expect(faultsOf({ ...keyed, workspace: 'wrkspc_1' })).toEqual([]);
    expect(faultsOf(keyed)).toHaveLength(1);
  });
});

describe.each([
  ['polly', 'tts', { upstream_model: 'neural' }, { unit: 'per_million_characters', character: 16 }],
  [
    'transcribe',
    'audio',
    { upstream_model: 'standard', max_seconds: 600 },
    { unit: 'per_second', second: 0.0001 },
  ],
])('a route of the protocol %s', (protocol, type, fields, price) => {
  const faultsWith = (route: object, model: object = { type, price }) =>
    faultsOf({ protocol, ...fields, ...route }, model);

  it('needs no address', () => {
    expect(faultsWith({})).toEqual([]);
  });

  it.each([
    [{ secret: 'env:KEY' }, "secret must be absent: the function's role signs"],
    [{ auth: 'sigv4' }, 'auth must be absent: the protocol signs by itself'],
    [{ dialect: { store: false } }, `dialect must be absent for the protocol "${protocol}"`],
  ])('rejects %j', (route, fault) => {
    expect(faultsWith(route)).toContain(fault);
  });

  it('serves models of its type only', () => {
    expect(faultsWith({}, {})).toEqual([
      'protocol must be openai or openai-responses or anthropic or bedrock or gemini for type "chat"',
    ]);
  });
});

describe('a route of Amazon Polly', () => {
  const price = { unit: 'per_million_characters', character: 16 };
  const polly = { protocol: 'polly', upstream_model: 'neural' };

  it.each([
    [
      { upstream_model: 'newest' },
      'upstream_model must be an engine of Polly: standard, neural, long-form, generative',
    ],
    [{ protocol: 'openai', base_url: OWN, voice_names: {} }, 'voice_names is for the protocol "polly" only'],
  ])('names what does not fit: %j', (route, fault) => {
    expect(faultsOf({ ...polly, ...route }, { type: 'tts', price })).toEqual([fault]);
  });

  it('accepts names of voices', () => {
    expect(faultsOf({ ...polly, voice_names: { alloy: 'Joanna' } }, { type: 'tts', price })).toEqual([]);
  });
});

describe('a route to Amazon Transcribe', () => {
  const ears = { type: 'audio', price: { unit: 'per_second', second: 0.0001 } };
  const own = { protocol: 'transcribe', upstream_model: 'standard', max_seconds: 600 };

  it.each([
    [{ max_seconds: undefined }, 'max_seconds is required: a job is paid for even if its time runs out'],
    [{ upstream_model: 'medical' }, 'upstream_model must be "standard"'],
    [
      { base_url: 'https://transcribe.us-east-1.amazonaws.com' },
      "base_url must be absent: the bucket is in the function's region",
    ],
    [{ language: 'english' }, 'language must be a code of Amazon Transcribe, such as "en-US"'],
  ])('rejects %j', (route, fault) => {
    expect(faultsOf({ ...own, ...route }, ears)).toEqual([fault]);
  });

  it('accepts a longest recording and a language, which no other route does', () => {
    expect(faultsOf({ ...own, language: 'de-CH' }, ears)).toEqual([]);
    const other = { base_url: 'https://a.test/v1', max_seconds: 600, language: 'de-CH' };
    expect(faultsOf(other, ears)).toEqual([
      'max_seconds is for the protocol "transcribe" only',
      'language is for the protocol "transcribe" only',
    ]);
  });
});

describe('a route to Google', () => {
  const GEMINI = 'https://generativelanguage.googleapis.com/v1beta';
  const VERTEX = 'https://aiplatform.googleapis.com/v1/projects/p/locations/global';
  const account = { auth: 'google', secret: 'secretsmanager:prod/providers/google' };

  it.each([
    { protocol: 'gemini', base_url: GEMINI, secret: 'env:KEY' },
    { protocol: 'gemini', base_url: `${VERTEX}/publishers/google`, ...account },
    { protocol: 'openai', base_url: `${VERTEX}/endpoints/openapi`, ...account },
  ])('allows %j', (route) => {
    expect(faultsOf(route)).toEqual([]);
  });

  it.each([
    [{ protocol: 'gemini', auth: 'google' }, 'secret is required for auth "google"'],
    [
      { protocol: 'gemini', auth: 'entra', secret: 'env:KEY' },
      'auth must be "google" or absent for the protocol "gemini"',
    ],
    [{ protocol: 'anthropic', ...account }, 'auth is "google" for the protocols "gemini" and "openai" only'],
  ])('rejects %j', (route, fault) => {
    expect(faultsOf({ base_url: VERTEX, ...route })).toContain(fault);
  });
});

describe('a route to Azure', () => {
  const V1 = 'https://r.openai.azure.com/openai/v1';
  const DATED = { base_url: 'https://r.openai.azure.com/openai', api_version: '2024-10-21' };
  const keyed = { auth: 'api-key', secret: 'env:KEY' };

  it.each([
    { protocol: 'openai', base_url: V1, ...keyed },
    { protocol: 'openai', base_url: V1, ...keyed, api_version: 'preview' },
    { protocol: 'openai', ...DATED, auth: 'entra', secret: 'secretsmanager:prod/providers/azure' },
    { protocol: 'openai-responses', ...DATED, ...keyed },
    {
      protocol: 'anthropic',
      base_url: 'https://r.services.ai.azure.com/anthropic/v1',
      auth: 'entra',
      secret: 'env:C',
    },
  ])('allows %j', (route) => {
    expect(faultsOf(route)).toEqual([]);
  });

  it.each([
    [{ base_url: V1, auth: 'api-key' }, 'secret is required for auth "api-key"'],
    [{ base_url: V1, auth: 'entra' }, 'secret is required for auth "entra"'],
    [
      { base_url: V1, ...keyed, protocol: 'anthropic' },
      'auth is "api-key" for the protocols "openai" and "openai-responses" only',
    ],
    [
      { base_url: V1, api_version: 'preview', protocol: 'anthropic' },
      'api_version is for the protocols "openai" and "openai-responses" only',
    ],
    [{ base_url: V1, api_version: '?' }, 'api_version must be a version, such as "2024-10-21" or "preview"'],
    [{ base_url: V1, ...keyed, aws_service: 'bedrock' }, 'aws_service is for auth "sigv4" only'],
  ])('names what does not fit: %j', (route, fault) => {
    expect(faultsOf({ protocol: 'openai', ...route })).toEqual([fault]);
  });
});
