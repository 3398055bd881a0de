import {
  BedrockRuntimeClient,
  ConverseCommand,
  ConverseStreamCommand,
} from '@aws-sdk/client-bedrock-runtime';
import { DescribeVoicesCommand, PollyClient, SynthesizeSpeechCommand } from '@aws-sdk/client-polly';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import {
  createBedrockClients,
  createRequestSigner,
} from '../../../lambdas/inference/store/bedrock-clients.ts';
import { frame } from '../../../lambdas/inference/testing/providers/bedrock/frames.ts';
import { until } from '../../../lambdas/inference/testing/providers/http-calls.ts';
import { WireServer } from '../../../lambdas/platform/testing/connections/wire-server.ts';
import { startUpstream, type Upstream } from '../../simulators/models/server.ts';
import { neededBedrockAccess } from './bedrock-access.ts';
import { createModelServices } from './bedrock-service.ts';
import { createCallers } from './callers.ts';
import { type AwsEndpoint, startAwsEndpoint } from './endpoint.ts';

const MODEL = 'sim.chat-v1:0';
const INVOKE = 'bedrock:InvokeModel';
const STREAM = 'bedrock:InvokeModelWithResponseStream';
const APPLY = 'bedrock:ApplyGuardrail';
const MODEL_ARN = 'arn:aws:bedrock:us-east-1::foundation-model/sim.chat-v1:0';

const lines: string[] = [];
const log = (line: string) => void lines.push(line);

/** A function that may do these actions, and nothing else. */
const caller = (name: string, Action: string[], Resource = 'arn:aws:bedrock:*::foundation-model/*') => {
  const roleArn = `arn:aws:iam::000000000000:role/${name}`;
  return {
    description: { name, roleArn },
    role: { arn: roleArn, name, statements: [{ Effect: 'Allow', Action, Resource } as const] },
  };
};

const CALLERS = [
  caller('chat', [INVOKE, STREAM]),
  caller('whole', [INVOKE]),
  caller('guarded', [INVOKE, STREAM, APPLY], '*'),
  caller('other', [INVOKE, STREAM], 'arn:aws:bedrock:*::foundation-model/other.*'),
  caller('mantle', ['bedrock-mantle:CreateInference'], 'arn:aws:bedrock-mantle:*:000000000000:project/*'),
  caller(
    'platform',
    ['aws-external-anthropic:CreateInference'],
    'arn:aws:aws-external-anthropic:*:000000000000:workspace/wrkspc_1',
  ),
  caller('speech', ['polly:SynthesizeSpeech'], '*'),
  caller('voices', ['polly:DescribeVoices'], '*'),
];

const authorizeAs = createCallers({
  functions: CALLERS.map(({ description }) => description),
  roles: CALLERS.map(({ role }) => role),
  enforce: true,
  log,
});

let upstream: Upstream;
let endpoint: AwsEndpoint;

beforeAll(async () => {
  upstream = await startUpstream({ chunkDelayMs: 1 });
  const services = createModelServices(async () => upstream.url);
  endpoint = await startAwsEndpoint({ services, authorizeAs, log });
});

afterAll(async () => {
  await endpoint.close();
  await upstream.close();
});

const clientOf = (name: string, address = endpoint.url) =>
  new BedrockRuntimeClient({
    endpoint: address,
    region: 'us-east-1',
    credentials: { accessKeyId: `local-${name}`, secretAccessKey: 'local' },
    maxAttempts: 1,
    requestHandler: new NodeHttpHandler({}),
  });

const REQUEST = { modelId: MODEL, messages: [{ role: 'user' as const, content: [{ text: 'Hi' }] }] };

describe('a Bedrock call of a function', () => {
  it('reaches the simulated provider if its role allows it, complete and streamed', async () => {
    const client = clientOf('chat');
    const { output, stopReason } = await client.send(new ConverseCommand(REQUEST));
    expect(output?.message?.content?.[0]?.text).toEqual(expect.any(String));
    expect(stopReason).toBe('end_turn');
    const { stream } = await client.send(new ConverseStreamCommand(REQUEST));
    const events: string[] = [];
    for await (const event of stream ?? []) events.push(Object.keys(event).join());
    expect(events[0]).toBe('messageStart');
    expect(events.slice(-2)).toEqual(['messageStop', 'metadata']);
    client.destroy();
  });

  it('fails with AWS’s error if no statement allows it, and the terminal reports it', async () => {
    const client = clientOf('whole');
    await client.send(new ConverseCommand(REQUEST));
    await expect(client.send(new ConverseStreamCommand(REQUEST))).rejects.toMatchObject({
      name: 'AccessDeniedException',
      $metadata: { httpStatusCode: 403 },
      message: `User: arn:aws:sts::000000000000:assumed-role/whole/whole is not authorized to perform: ${STREAM} on resource: ${MODEL_ARN} because no identity-based policy allows the ${STREAM} action`,
    });
    expect(lines.at(-1)).toMatch(/^IAM denied: /);
    client.destroy();
  });

  it('fails on a model that the role does not list, and with an unknown access key', async () => {
    for (const [name, error] of [
      ['other', 'AccessDeniedException'],
      ['nobody', 'UnrecognizedClientException'],
    ] as const) {
      const client = clientOf(name);
      await expect(client.send(new ConverseCommand(REQUEST))).rejects.toMatchObject({ name: error });
      client.destroy();
    }
  });

  it('needs the right to apply the guardrail that it names, complete and streamed', async () => {
    const arn = 'arn:aws:bedrock:us-east-1:000000000000:guardrail/abc123';
    for (const guardrailIdentifier of ['abc123', arn]) {
      const input = { ...REQUEST, guardrailConfig: { guardrailIdentifier, guardrailVersion: '3' } };
      for (const name of ['guarded', 'chat']) {
        const client = clientOf(name);
        const results = await Promise.allSettled([
          client.send(new ConverseCommand(input)),
          client.send(new ConverseStreamCommand(input)).then(async ({ stream }) => {
            for await (const _event of stream ?? []);
          }),
        ]);
        client.destroy();
        const denied = `${APPLY} on resource: ${arn} because no identity-based policy allows`;
        for (const result of results) {
          if (name === 'guarded') expect(result.status).toBe('fulfilled');
          else expect(result).toMatchObject({ reason: { message: expect.stringContaining(denied) } });
        }
      }
    }
  });

  it('returns an error if there is no simulated provider, or none that responds', async () => {
    for (const bedrockUrl of [undefined, async () => 'http://127.0.0.1:1']) {
      const services = createModelServices(bedrockUrl);
      const alone = await startAwsEndpoint({ services, authorizeAs, log });
      const client = clientOf('chat', alone.url);
      await expect(client.send(new ConverseCommand(REQUEST))).rejects.toMatchObject({
        name: 'ServiceUnavailableException',
        message: expect.stringContaining('simulated provider'),
        $metadata: { httpStatusCode: 503 },
      });
      client.destroy();
      await alone.close();
    }
  });

  it('lets go of the provider when the function leaves a stream', async () => {
    const provider = new WireServer();
    await provider.start();
    provider.respond = (response) =>
      void response
        .writeHead(200, { 'content-type': 'application/vnd.amazon.eventstream' })
        .write(frame(['messageStart', { role: 'assistant' }]));
    const services = createModelServices(async () => provider.origin);
    const alone = await startAwsEndpoint({ services, authorizeAs, log });
    const client = clientOf('chat', alone.url);
    const controller = new AbortController();
    await client.send(new ConverseStreamCommand(REQUEST), { abortSignal: controller.signal });
    expect(provider.open).toBe(1);
    controller.abort();
    await until(() => provider.open === 0);
    client.destroy();
    await alone.close();
    await provider.stop();
  });
});

const accessFor = (path: string, body: unknown = {}) =>
  neededBedrockAccess({ path, body: Buffer.from(JSON.stringify(body)) });

describe('a signed call of a function to a Messages endpoint', () => {
  const signedBy = async (name: string, service: string, path: string, workspace?: string) => {
    const sign = createRequestSigner(
      createBedrockClients({
        region: 'us-east-1',
        credentials: async () => ({ accessKeyId: `local-${name}`, secretAccessKey: 'local' }),
      }),
    );
    const model = path.startsWith('/anthropic') ? MODEL : 'claude-sim';
    const url = `${endpoint.url}${path}`;
    const body = JSON.stringify({
      model,
      max_tokens: 16,
      messages: [{ role: 'user', content: 'Say exactly: hi' }],
    });
    const headers = {
      'content-type': 'application/json',
      'anthropic-version': '2023-06-01',
      ...(workspace === undefined ? {} : { 'anthropic-workspace-id': workspace }),
    };
    const signed = await sign({ url, service, headers, body });
    const response = await fetch(url, { method: 'POST', headers: signed, body });
    return { status: response.status, text: await response.text() };
  };
  const MANTLE = '/bedrock-mantle/anthropic/v1/messages';
  const PLATFORM = '/aws-external-anthropic/v1/messages';

  it.each([
    ['chat', 'bedrock', '/anthropic/v1/messages', undefined],
    ['mantle', 'bedrock-mantle', MANTLE, undefined],
    ['platform', 'aws-external-anthropic', PLATFORM, 'wrkspc_1'],
  ])('succeeds if its role allows it: %s, %s', async (name, service, path, workspace) => {
    const { status, text } = await signedBy(name, service, path, workspace);
    expect([status, JSON.parse(text)]).toMatchObject([200, { content: [{ type: 'text', text: 'hi' }] }]);
  });

  it.each([
    ['a role that may not', 'chat', 'bedrock-mantle', MANTLE, undefined, 'bedrock-mantle:CreateInference'],
    ['another workspace', 'platform', 'aws-external-anthropic', PLATFORM, 'wrkspc_2', 'workspace/wrkspc_2'],
    ['a role of another service', 'mantle', 'bedrock', '/anthropic/v1/messages', undefined, INVOKE],
  ])('returns 403 to %s', async (_why, name, service, path, workspace, words) => {
    const { status, text } = await signedBy(name, service, path, workspace);
    expect(status).toBe(403);
    expect(text).toContain('is not authorized to perform');
    expect(text).toContain(words);
  });
});

describe('a call of Amazon Polly', () => {
  const clientOf = (name: string) =>
    new PollyClient({
      endpoint: endpoint.url,
      region: 'us-east-1',
      credentials: { accessKeyId: `local-${name}`, secretAccessKey: 'local' },
      maxAttempts: 1,
      requestHandler: new NodeHttpHandler({}),
    });
  const synthesis = new SynthesizeSpeechCommand({ OutputFormat: 'pcm', Text: 'Hi', VoiceId: 'Joanna' });

  it('succeeds if its role allows it', async () => {
    const { AudioStream: audio, RequestCharacters: characters } = await clientOf('speech').send(synthesis);
    expect([(await audio?.transformToByteArray())?.length, characters]).toEqual([9 * 768, 2]);
    const { Voices: voices } = await clientOf('voices').send(new DescribeVoicesCommand({ Engine: 'neural' }));
    expect(voices?.length).toBeGreaterThan(0);
  });

  it.each([
    ['chat', synthesis, 'polly:SynthesizeSpeech'],
    ['voices', synthesis, 'polly:SynthesizeSpeech'],
    ['speech', new DescribeVoicesCommand({}), 'polly:DescribeVoices'],
  ])('fails for a role without its action: %s', async (name, command, action) => {
    await expect(clientOf(name).send(command as SynthesizeSpeechCommand)).rejects.toMatchObject({
      name: 'AccessDeniedException',
      message: expect.stringContaining(action),
    });
  });
});

describe('the access that a Bedrock call needs', () => {
  const resources = (id: string) =>
    accessFor(`/model/${encodeURIComponent(id)}/converse`).map(({ resourceArn }) => resourceArn);

  it.each(['us', 'eu', 'apac', 'global', 'us-gov', 'jp'])(
    'covers an inference profile and its model: %s',
    (geography) => {
      const id = `${geography}.anthropic.claude-haiku-4-5-20251001-v1:0`;
      const profile = `arn:aws:bedrock:us-east-1:000000000000:inference-profile/${id}`;
      const model = 'arn:aws:bedrock:us-east-1::foundation-model/anthropic.claude-haiku-4-5-20251001-v1:0';
      expect(resources(id)).toEqual([profile, model]);
      expect(resources(profile)).toEqual([profile, model]);
    },
  );

  it.each(['/openai/v1/chat/completions', '/openai/v1/responses', '/anthropic/v1/messages'])(
    'covers the model in the body: %s',
    (path) => {
      expect(accessFor(path, { model: MODEL })).toEqual([{ action: INVOKE, resourceArn: MODEL_ARN }]);
      expect(accessFor(path, { model: MODEL, stream: true })).toEqual([
        { action: STREAM, resourceArn: MODEL_ARN },
      ]);
      expect(() => accessFor(path)).toThrow('the body names no model');
    },
  );

  it.each([
    ['/foundation-models', 'bedrock:ListFoundationModels'],
    ['/inference-profiles?maxResults=100&type=SYSTEM_DEFINED', 'bedrock:ListInferenceProfiles'],
    ['/foundation-model-availability/amazon.nova-pro-v1%3A0', 'bedrock:GetFoundationModelAvailability'],
  ])('covers every resource for a read of what the account may call: %s', (path, action) => {
    expect(accessFor(path)).toEqual([{ action, resourceArn: '*' }]);
  });

  it('causes an error for any other path', () => {
    expect(() => accessFor('/model/x/count-tokens')).toThrow('/model/x/count-tokens');
    expect(() => accessFor('/')).toThrow('does not know');
  });
});
