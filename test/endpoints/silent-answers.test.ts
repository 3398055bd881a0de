import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { formatKey } from '../../lambdas/access/core/keys/api-key.ts';
import { ROUTES } from '../../lambdas/app/routes.ts';
import { DynamoReplayStore } from '../../lambdas/inference/store/replay-store.ts';
import {
  ledgerOf,
  openAccount,
  openLedger,
  secretOf,
  type TestAccount,
} from '../../lambdas/ledger/testing/running-ledger.ts';
import type { After, Clock } from '../../lambdas/platform/core/ports.ts';
import { systemAfter } from '../../lambdas/platform/system/system.ts';
import { audio, bodyOf, FORM_TYPE, file, formOf } from '../../lambdas/platform/testing/mutated-forms.ts';
import { startDatabase, type TestDatabase } from '../../tools/test-kit/engine.ts';
import {
  modelOf,
  PEPPERS,
  routeTo,
  type Service,
  type SurfaceName,
  startService,
} from '../fuzz/running-service.ts';
import { UploadService } from './transcriptions/upload-service.ts';

/** A silence of which settling leaves half a second. */
const SHORT = { silenceMs: 15_500 };
const LONG = { silenceMs: 60_000 };

let aheadMs = 0;
const clock: Clock = () => Date.now() + aheadMs;

/** A timer that has run is over by the clock too, however early it ran. */
const after: After = (ms, run) => {
  const dueMs = clock() + ms;
  return systemAfter(ms, () => {
    aheadMs = Math.max(aheadMs, dueMs - Date.now());
    run();
  });
};

const CREDIT = 10n ** 12n;

type PaidEndpoint = Extract<(typeof ROUTES)[number], { readonly paid: true }>['endpoint'];

/** A request to every paid route but that of files, none of which answers with events. */
const REQUESTS: Readonly<
  Record<
    Exclude<PaidEndpoint, 'create-transcription'>,
    readonly [SurfaceName, Readonly<Record<string, unknown>>]
  >
> = {
  'create-chat-completion': [
    'chat',
    { model: 'slow/chat', max_tokens: 8, messages: [{ role: 'user', content: 'Hi' }] },
  ],
  'create-message': [
    'messages',
    { model: 'slow/chat', max_tokens: 8, messages: [{ role: 'user', content: 'Hi' }] },
  ],
  'create-response': ['responses', { model: 'slow/chat', max_output_tokens: 8, store: false, input: 'Hi' }],
  'create-embeddings': ['embeddings', { model: 'slow/embed', input: 'words' }],
  'create-images': ['images', { model: 'slow/image', prompt: 'a cat', size: '512x512' }],
  'create-speech': ['speech', { model: 'slow/speech', input: 'Hi' }],
};

const EVENT_STREAMS = ['create-chat-completion', 'create-message', 'create-response'] as const;

/** The behavior of a model's upstream route: silent without end, for a long time, or briefly. */
const UPSTREAM_MODELS: Readonly<Record<string, string>> = {
  silent: 'hang',
  late: 'slow-first-1500',
  slow: 'slow-first-600',
};

/** Models of each kind, and a route to each that is silent at first. */
function slowCatalog(origin: string) {
  const model = (id: string, type: string, price: object, fields: object = {}) => {
    const upstream_model = UPSTREAM_MODELS[id.split('/')[0] ?? ''] ?? 'sim';
    const route = { id: id.replace('/', '-'), upstream_model, capabilities: ['stream'] };
    return modelOf(id, type, price, { ...fields, routes: [routeTo(origin, 'openai', route)] });
  };
  const tokens = { unit: 'per_million_tokens', input: 1 };
  return {
    models: [
      ...Object.keys(UPSTREAM_MODELS).flatMap((name) => [
        model(`${name}/chat`, 'chat', { ...tokens, output: 2 }, { max_output_tokens: 100 }),
        model(`${name}/embed`, 'embeddings', tokens),
        model(`${name}/image`, 'image', { unit: 'per_image', image: 0.01 }),
        model(`${name}/speech`, 'tts', tokens),
      ]),
      model('quick/speech', 'tts', tokens),
    ],
  };
}

let database: TestDatabase;
let service: Service;
let uploads: UploadService;

beforeAll(async () => {
  database = await startDatabase();
  service = await startService(
    {
      ...openLedger({ clients: database, clock }),
      store: new DynamoReplayStore(database.client, database.tables.replays),
    },
    {
      fetch,
      bedrockClient: () => {
        throw new Error('no route is of Bedrock');
      },
      catalog: slowCatalog,
      time: { clock, after },
    },
  );
  uploads = new UploadService(database, clock, after);
  await uploads.start();
});
afterAll(async () => {
  uploads.stop();
  await service.stop();
  await database.stop();
});

type SendOptions = Parameters<Service['send']>[2];

async function send(account: TestAccount, [name, body]: readonly [SurfaceName, object], host?: SendOptions) {
  const [{ accountId, keyId }] = account.keys;
  const credential = formatKey({ accountId, keyId, secret: secretOf(keyId) }, PEPPERS);
  const headers = { authorization: `Bearer ${credential}`, 'content-type': 'application/json' };
  const response = await service.send(name, { headers, body: JSON.stringify(body) }, host);
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** Expects the state after a rejected call: one failed record without cost, an unchanged balance and no hold. */
async function expectUnpaid(account: TestAccount): Promise<void> {
  const { wallet, records, audit } = await ledgerOf(database.client, account);
  expect(records.map(({ status, cost }) => [status, cost])).toEqual([['failed', 0n]]);
  expect(wallet).toMatchObject({ balance: CREDIT, holds: [] });
  expect(audit).toMatchObject({ exact: true, held: 0n });
}

const refusal = {
  code: 'all_routes_failed',
  type: 'service_unavailable',
  message: expect.stringContaining('time limit'),
};

it('the test requests cover every paid route', () => {
  const paid = ROUTES.filter((route) => 'paid' in route && route.paid).map(({ endpoint }) => endpoint);
  expect([...Object.keys(REQUESTS), 'create-transcription'].sort()).toEqual(paid.sort());
});

describe.each(Object.entries(REQUESTS))(
  'a response of %s that does not start in time',
  (endpoint, request) => {
    it('causes a 503 that the caller can still receive, costs nothing and sends x-should-retry: false', async () => {
      const account = await openAccount(database.client, CREDIT, {});
      const [name, body] = request;
      const silent = { ...body, model: String(body.model).replace('slow', 'silent') };
      const { status, headers, text } = await send(account, [name, silent], SHORT);
      expect([status, headers.get('x-should-retry'), headers.has('retry-after')]).toEqual([
        503,
        'false',
        true,
      ]);
      const { code: _, ...error } = refusal;
      expect(JSON.parse(text)).toMatchObject({ error: endpoint === 'create-message' ? error : refusal });
      await expectUnpaid(account);
    });

    it('completes and costs money if the time allows it or no host ends silent calls', async () => {
      const responses = [LONG, undefined].map(async (host) => {
        const account = await openAccount(database.client, CREDIT, {});
        expect((await send(account, request, host)).status).toBe(200);
        const { records, wallet } = await ledgerOf(database.client, account);
        expect(records.map(({ status }) => status)).toEqual(['completed']);
        expect(wallet.balance).toBeLessThan(CREDIT);
      });
      await Promise.all(responses);
    });
  },
);

describe('speech that has started in time', () => {
  it('continues beyond that time', async () => {
    const account = await openAccount(database.client, CREDIT, {});
    const chunkMs = 500;
    await fetch(`${service.origin}/control/faults`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ match: { path: '/v1/audio/speech' }, fault: { chunk_delay_ms: chunkMs } }),
    });
    const { status, text } = await send(
      account,
      ['speech', { model: 'quick/speech', input: '12345678901234567890' }],
      SHORT,
    );
    expect([status, text.length > 0]).toEqual([200, true]);
    expect((await ledgerOf(database.client, account)).records).toMatchObject([{ status: 'completed' }]);
    const { requests } = (await (await fetch(`${service.origin}/control/requests`)).json()) as {
      readonly requests: readonly { readonly chunks: number }[];
    };
    // It took longer than what was left of the silence.
    expect(((requests.at(-1)?.chunks ?? 0) - 1) * chunkMs).toBeGreaterThan(SHORT.silenceMs - 15_000);
  });
});

describe.each(EVENT_STREAMS)('a stream of events of %s', (endpoint) => {
  it('starts later without an error because the service sends data meanwhile', async () => {
    const account = await openAccount(database.client, CREDIT, {});
    const [name, body] = REQUESTS[endpoint];
    const { status, text } = await send(
      account,
      [name, { ...body, model: 'late/chat', stream: true }],
      SHORT,
    );
    expect([status, text.includes('all_routes_failed')]).toEqual([200, false]);
    expect((await ledgerOf(database.client, account)).records).toMatchObject([{ status: 'completed' }]);
  });
});

describe('a transcript that does not come in time', () => {
  const post = (key: Parameters<UploadService['post']>[0], host?: SendOptions) =>
    uploads.post(key, bodyOf(formOf(file(audio))).body, FORM_TYPE, host);

  it('causes a 503 before the connection of the caller ends, and costs nothing', async () => {
    const { respond } = uploads;
    uploads.respond = () => new Promise(() => {});
    const key = await uploads.open(CREDIT);
    const response = await post(key, SHORT);
    uploads.respond = respond;
    expect([response.status, response.headers.get('x-should-retry')]).toEqual([503, 'false']);
    expect(await response.json()).toMatchObject({ error: refusal });
    const wallet = await uploads.ledger.wallets.read(key.accountId);
    expect(wallet).toMatchObject({ balance: CREDIT, holds: [] });
  });

  it('arrives if the time allows it', async () => {
    expect((await post(await uploads.open(CREDIT), LONG)).status).toBe(200);
  });
});
