import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { accountAccess } from '../../testing/bedrock-account.ts';
import { readAudioModels } from './audio-models.ts';
import type { ShippedModel } from './prices.ts';

const VARIABLES = ['AWS_ENDPOINT_URL_POLLY', 'AWS_ENDPOINT_URL_TRANSCRIBE'] as const;
const before = { ...process.env };

let server: Server;
let voicesOf: Record<string, readonly string[]>;
let failures: { readonly status: number; readonly body: string }[];
let transcribeStatus: number;
const requests: string[] = [];

/** Answers as Polly and Transcribe do, two voices a page. */
beforeAll(async () => {
  server = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '/', 'http://localhost');
    const { authorization = '', 'x-amz-target': target = '' } = request.headers;
    const scope = /Credential=[^/]+\/\d+\/([^/]+\/[^/]+)\//.exec(authorization)?.[1];
    requests.push([request.method, scope, target].join(' '));
    const failure = failures.shift();
    if (failure !== undefined) {
      response.writeHead(failure.status).end(failure.body);
    } else if (request.method === 'POST') {
      response.writeHead(transcribeStatus).end('{"TranscriptionJobSummaries":[]}');
    } else {
      const all = voicesOf[searchParams.get('Engine') ?? ''] ?? [];
      const start = Number(searchParams.get('NextToken') ?? 0);
      const NextToken = start + 2 < all.length ? String(start + 2) : undefined;
      const Voices = all.slice(start, start + 2).map((Id) => ({ Id, LanguageCode: 'en-US' }));
      response.end(JSON.stringify({ Voices, NextToken }));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  for (const name of VARIABLES) process.env[name] = url;
});

afterAll(async () => {
  for (const name of VARIABLES) {
    if (before[name] === undefined) delete process.env[name];
    else process.env[name] = before[name];
  }
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

beforeEach(() => {
  voicesOf = { neural: ['Amy', 'Joanna', 'Ruth', 'Vicki', 'Zhiyu'], generative: ['Ruth'] };
  failures = [];
  transcribeStatus = 200;
  requests.length = 0;
});

const speech = (engine: string): ShippedModel => ({
  id: `amazon/polly-${engine}`,
  type: 'tts',
  default_voice: 'alloy',
  price: { unit: 'per_million_tokens', input: 64 },
  price_source: {},
  routes: [
    {
      id: `polly-${engine}`,
      protocol: 'polly',
      upstream_model: engine,
      voice_names: { alloy: 'Joanna', nova: 'Ruth', onyx: 'Stephen' },
    },
  ],
});

const transcription: ShippedModel = {
  id: 'amazon/transcribe',
  type: 'audio',
  price: { unit: 'per_minute', minute: 0.0072 },
  price_source: {},
  routes: [{ id: 'transcribe', protocol: 'transcribe', upstream_model: 'standard' }],
};

const read = (...models: readonly ShippedModel[]) => readAudioModels(accountAccess('eu-west-1'), models);

describe('the models of Polly', () => {
  it('list the voices of the region, and the names of others for those alone', async () => {
    const { models, leftOut } = await read(speech('neural'));
    expect(leftOut).toEqual([]);
    expect(models).toMatchObject([
      {
        default_voice: 'alloy',
        voices: ['alloy', 'nova', 'Amy', 'Joanna', 'Ruth', 'Vicki', 'Zhiyu'],
        routes: [{ voice_names: { alloy: 'Joanna', nova: 'Ruth' } }],
      },
    ]);
    expect(models[0]?.routes[0]?.voice_names).not.toHaveProperty('onyx');
    expect(requests).toEqual(Array(3).fill('GET eu-west-1/polly '));
  });

  it('use another default voice if the region lacks it', async () => {
    const { models } = await read(speech('generative'));
    expect(models).toMatchObject([{ default_voice: 'nova', voices: ['nova', 'Ruth'] }]);
  });

  it('disappear without a voice of their engine, or without the right to list them', async () => {
    failures = [{ status: 403, body: '{}' }];
    const { models, leftOut } = await read(speech('neural'), speech('long-form'));
    expect(models).toEqual([]);
    expect(leftOut).toEqual([
      { model: 'amazon/polly-neural', reason: 'polly in eu-west-1 answered 403' },
      { model: 'amazon/polly-long-form', reason: 'Polly has no long-form voice in eu-west-1' },
    ]);
  });

  it('survive a throttled read, which has the status 400', async () => {
    failures = [{ status: 400, body: '{"__type":"ThrottlingException"}' }];
    expect((await read(speech('generative'))).models).toHaveLength(1);
    failures = [{ status: 400, body: '{"__type":"ValidationException"}' }];
    expect((await read(speech('generative'))).leftOut).toEqual([
      { model: 'amazon/polly-generative', reason: 'polly in eu-west-1 answered 400' },
    ]);
  });
});

describe('the model of Transcribe', () => {
  it('stays as shipped if the region answers a list of jobs, else it is left out', async () => {
    expect(await read(transcription)).toEqual({ models: [transcription], leftOut: [] });
    expect(requests).toEqual(['POST eu-west-1/transcribe Transcribe.ListTranscriptionJobs']);
    transcribeStatus = 400;
    expect(await read(transcription)).toEqual({
      models: [],
      leftOut: [{ model: 'amazon/transcribe', reason: 'transcribe in eu-west-1 answered 400' }],
    });
  });
});
