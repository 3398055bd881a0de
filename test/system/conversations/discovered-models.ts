/** Models of Bedrock as `catalog bedrock` finds them, called by the names that callers of Bedrock send. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { createRouteAccess } from '../../../operator/calls/route-access.ts';
import { readAccountCatalog } from '../../../operator/catalog/bedrock/account-catalog.ts';
import { until } from '../../../tools/test-kit/waiting.ts';
import { service } from './service.ts';

interface Route {
  readonly id: string;
  readonly protocol: string;
  readonly base_url?: string;
  readonly aws_service?: string;
  readonly aws_region?: string;
}

interface Document {
  readonly models: readonly {
    readonly id: string;
    readonly aliases?: readonly string[];
    readonly routes: readonly Route[];
  }[];
}

/** The id of a model in the catalog, and the names that callers of Bedrock send. */
const MODELS = [
  ['anthropic/claude-opus-4-8', 'anthropic.claude-opus-4-8', 'us.anthropic.claude-opus-4-8'],
  ['openai/gpt-oss-120b', 'openai.gpt-oss-120b-1:0'],
  ['amazon/nova-2-lite', 'amazon.nova-2-lite-v1:0', 'global.amazon.nova-2-lite-v1:0'],
  ['zai/glm-5', 'zai.glm-5'],
] as const;

/** Reads the simulated account as `catalog bedrock` does. */
async function discover(): Promise<Document> {
  const before = process.env.AWS_ENDPOINT_URL;
  process.env.AWS_ENDPOINT_URL = new URL(service.session.upstream_control_url).origin;
  try {
    const credentials = { accessKeyId: 'AKIATEST', secretAccessKey: 'secret' };
    const log = { info: () => {}, warn: () => {}, error: () => {} };
    const target = { environment: {}, client: { region: 'us-east-1', credentials } };
    const routes = createRouteAccess(target, undefined as never, log);
    return JSON.parse((await readAccountCatalog(routes, { now: new Date('2026-11-29') })).json) as Document;
  } finally {
    if (before === undefined) delete process.env.AWS_ENDPOINT_URL;
    else process.env.AWS_ENDPOINT_URL = before;
  }
}

/** Returns the route with its address in the local account, which signs for the same region. */
function simulated(route: Route, awsUrl: string): Route {
  const [, region, path = ''] =
    /bedrock-runtime\.([a-z0-9-]+)\.amazonaws\.com(.*)$/.exec(route.base_url ?? '') ?? [];
  if (region === undefined) return route;
  const address = { ...route, base_url: `${awsUrl}${path}` };
  return route.protocol === 'bedrock' ? address : { ...address, aws_service: 'bedrock', aws_region: region };
}

const PROMPT = { role: 'user' as const, content: 'Repeat exactly: one two three four five six' };

let caller: { readonly id: string; readonly key: string };

beforeAll(async () => {
  const { document } = await service.admin<{ document: Document }>('catalog', 'show');
  const signed = document.models
    .flatMap(({ routes }) => routes)
    .find(({ aws_service: name }) => name === 'bedrock');
  const awsUrl = new URL(signed?.base_url ?? '').origin;
  const taken = new Set(document.models.flatMap(({ id, aliases = [] }) => [id, ...aliases]));
  const models = (await discover()).models
    .filter(({ id }) => MODELS.some(([name]) => name === id))
    .map(({ aliases = [], routes, ...model }) => ({
      ...model,
      aliases: aliases.filter((name) => !taken.has(name)),
      routes: routes.map((each) => simulated(each, awsUrl)),
    }));
  const file = join(service.directory, 'discovered.json');
  writeFileSync(file, JSON.stringify({ ...document, models: [...document.models, ...models] }));
  await service.admin('catalog', 'apply', file);
  caller = await service.account('20');
  // Each endpoint reads the catalog by itself.
  for (const [path, body] of [
    ['/v1/chat/completions', { messages: [PROMPT], max_tokens: 8 }],
    ['/v1/messages', { messages: [PROMPT], max_tokens: 8 }],
    ['/v1/responses', { input: 'Hi' }],
  ] as const) {
    const call = async () => (await service.post(path, { model: 'zai.glm-5', ...body }, caller)).status;
    await until(call, (status) => status === 200);
  }
});

/** The text of a streamed response, its model, and the id of its request. */
interface StreamedText {
  readonly text: string;
  readonly model: string;
  readonly requestId: string | null;
}

/** A stream by each of the SDKs' interfaces. */
const STREAMS: Readonly<Record<string, (model: string) => Promise<StreamedText>>> = {
  async 'Chat Completions'(model) {
    const { data, request_id: requestId } = await service
      .openai(caller.key)
      .chat.completions.create({ model, messages: [PROMPT], stream: true })
      .withResponse();
    const streamed = { text: '', model: '', requestId };
    for await (const chunk of data) {
      streamed.text += chunk.choices[0]?.delta.content ?? '';
      streamed.model = chunk.model;
    }
    return streamed;
  },
  async Responses(model) {
    const { data, request_id: requestId } = await service
      .openai(caller.key)
      .responses.create({ model, input: PROMPT.content, stream: true })
      .withResponse();
    const streamed = { text: '', model: '', requestId };
    for await (const event of data) {
      if (event.type === 'response.output_text.delta') streamed.text += event.delta;
      if (event.type === 'response.completed') streamed.model = event.response.model;
    }
    return streamed;
  },
  async Messages(model) {
    const { data, request_id: requestId } = await service
      .anthropic(caller.key)
      .messages.create({ model, messages: [PROMPT], max_tokens: 100, stream: true })
      .withResponse();
    const streamed = { text: '', model: '', requestId: requestId ?? null };
    for await (const event of data) {
      if (event.type === 'message_start') streamed.model = event.message.model;
      if (event.type === 'content_block_delta' && event.delta.type === 'text_delta')
        streamed.text += event.delta.text;
    }
    return streamed;
  },
};

const costOf = async (requestId: string | null) => {
  const record = (await (await service.fetch(`/v1/usage/${requestId}`, caller)).json()) as {
    readonly cost: number;
    readonly model: string;
  };
  return { cost: record.cost, model: record.model };
};

describe('a model of Bedrock', () => {
  const cases = MODELS.flatMap(([id, ...names]) =>
    Object.keys(STREAMS).map((api) => [id, api, names] as const),
  );

  it.each(cases)(
    'streams %s by %s under the ids of Bedrock as under its own, at one price',
    async (id, api, names) => {
      const stream = STREAMS[api];
      if (stream === undefined) throw new Error(`there is no ${api}`);
      const own = await stream(id);
      expect([own.text, own.model]).toEqual(['one two three four five six', id]);
      const { cost } = await costOf(own.requestId);
      expect(cost).toBeGreaterThan(0);
      for (const name of names) {
        const streamed = await stream(name);
        expect([streamed.text, streamed.model]).toEqual([own.text, name]);
        expect(await costOf(streamed.requestId)).toEqual({ cost, model: id });
      }
    },
  );

  it('hints at the right name if an id is wrong', async () => {
    const response = await service.chat(
      { model: 'us.anthropic.claude-opus-4-9', messages: [PROMPT] },
      caller,
    );
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: { code: 'model_not_found', message: expect.stringContaining('claude-opus-4-8') },
    });
  });
});

describe('a throttled region', () => {
  /** The regions that requests to a model were signed for, since a request. */
  const regionsSince = async (since: number) =>
    (await service.received(since)).map(
      ({ headers }) => /Credential=[^/]+\/\d+\/([^/]+)\//.exec(headers?.authorization ?? '')?.[1],
    );

  it('leaves calls to the second region, and a conversation returns to its own', async () => {
    const model = 'openai.gpt-oss-120b-1:0';
    const call = async () => {
      const since = (await service.received()).at(-1)?.sequence ?? 0;
      const { status } = await service.chat({ model, messages: [PROMPT] }, caller);
      return { status, regions: await regionsSince(since) };
    };
    expect(await call()).toEqual({ status: 200, regions: ['us-east-1'] });
    await service.fault({ status: 429, headers: { 'retry-after': '2' } }, { model });
    expect(await call()).toEqual({ status: 200, regions: ['us-east-1', 'us-west-2'] });
    expect(await call()).toEqual({ status: 200, regions: ['us-west-2'] });
    const returned = await until(call, ({ regions }) => regions[0] === 'us-east-1');
    expect(returned).toEqual({ status: 200, regions: ['us-east-1'] });
  });
});
