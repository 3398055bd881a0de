import { AsyncLocalStorage } from 'node:async_hooks';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { formatKey } from '../../lambdas/access/core/keys/api-key.ts';
import { createSessions } from '../../lambdas/access/store/sessions/session-tokens.ts';
import { ROUTES } from '../../lambdas/app/routes.ts';
import { writeCatalog } from '../../lambdas/inference/store/catalog-history.ts';
import { openAccount, SILENT, secretOf } from '../../lambdas/ledger/testing/running-ledger.ts';
import { signedEvent } from '../../lambdas/payments/testing/stripe-events.ts';
import type { Route } from '../../lambdas/platform/contract/route.ts';
import { systemUlid } from '../../lambdas/platform/system/system.ts';
import { lambdaEvent } from '../../lambdas/platform/testing/lambda-event.ts';
import { functionVariables } from '../../tools/bench/bundles/environment.ts';
import { ENGINE_CREDENTIALS } from '../../tools/local/dynamodb/client.ts';
import { type CapturedLines, captureLines } from '../../tools/test-kit/captured-lines.ts';
import { startDatabase, type TestDatabase } from '../../tools/test-kit/engine.ts';
import { handlerOf } from '../../tools/test-kit/handlers.ts';

/**
 * A route's first request to the database counts from 1: from which on they all fail. None makes more, also where a busy machine
 * has the catalog or a circuit read again meanwhile: the most is 11 on an idle one.
 */
const POSITIONS = Array.from({ length: 24 }, (_, index) => index + 1);

const SECRET = JSON.stringify({ current: 'f'.repeat(64), api_key: 'sk_test_1', webhook_secret: 'whsec_1' });

/** The only answer of an upstream, which is asked after a call is admitted. */
const UPSTREAM_STATUS = 500;

interface Trouble {
  /** Requests to the database since the call began. */
  requests: number;
  /** The number of the first request that fails. */
  readonly from: number;
}

/** Troubles by the call, and by its endpoint for requests that do not name their call. */
const troubles = new Map<string, Trouble>();

/**
 * The id of the running call. Each request names it as the trace of its function, because a call that was answered with
 * a failure may still send requests when the next call runs.
 */
const calls = new AsyncLocalStorage<string>();

let database: TestDatabase;
let origin: string;
let credentials: {
  readonly session: string;
  readonly operator: string;
  readonly key: string;
  readonly keyId: string;
};
const server = createServer((request, response) => {
  answer(request, response).catch(() => response.destroy());
});

/** Secrets, messaging and an upstream, and before the real database the trouble of the endpoint that the path names. */
async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = new Uint8Array(await buffer(request));
  const target = String(request.headers['x-amz-target'] ?? '');
  const send = (status: number, content: object) =>
    response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' }).end(JSON.stringify(content));
  if (target === 'secretsmanager.GetSecretValue') return void send(200, { SecretString: SECRET });
  if (request.url?.startsWith('/upstream') === true) return void send(UPSTREAM_STATUS, {});
  if (target === 'AmazonSQS.GetQueueAttributes')
    return void send(200, { Attributes: { ApproximateNumberOfMessages: '0' } });
  if (!target.startsWith('DynamoDB_')) return void send(200, { Entries: [], FailedEntryCount: 0 });
  const trouble = troubles.get(String(request.headers['x-amzn-trace-id'] ?? request.url?.split('/')[1]));
  if (trouble === undefined) throw new Error('the request is of no call');
  trouble.requests += 1;
  if (trouble.requests >= trouble.from)
    return void send(500, { __type: 'com.amazonaws.dynamodb.v20120810#InternalServerError' });
  const { host: _host, connection: _connection, ...headers } = request.headers as Record<string, string>;
  const passed = await fetch(database.endpoint, { method: 'POST', headers, body });
  response
    .writeHead(passed.status, { 'content-type': 'application/x-amz-json-1.0' })
    .end(await passed.text());
}

Object.assign(globalThis, {
  awslambda: {
    streamifyResponse: (handler: object) => handler,
    HttpResponseStream: { from: (stream: object, metadata: object) => Object.assign(stream, { metadata }) },
  },
});

const LISTING = { name: 'A listing', summary: 'Does a thing.', category: 'tools' };
const MESSAGES = { model: 'sim/chat', max_tokens: 8, messages: [{ role: 'user', content: 'Hi' }] };
const RESPONSE = { model: 'sim/chat', max_output_tokens: 8, input: 'Hi' };
const WEBHOOK = { url: 'https://example.com/hook', events: ['listing.installed'] };

/** The body of a valid request to each endpoint that takes one. */
const BODIES: Readonly<Record<string, object>> = {
  'create-chat-completion': MESSAGES,
  'create-message': MESSAGES,
  'count-message-tokens': MESSAGES,
  'create-response': RESPONSE,
  'count-response-tokens': RESPONSE,
  'create-embeddings': { model: 'sim/embeddings', input: 'Hi' },
  'create-images': { model: 'sim/image', prompt: 'A cat' },
  'create-speech': { model: 'sim/tts', input: 'Hi', voice: 'alloy' },
  'create-key': { name: 'a' },
  'update-key': { name: 'b' },
  'create-listing': LISTING,
  'update-listing': { summary: 'Does another thing.' },
  'create-review': { rating: 4 },
  'create-release': { version: '1.1.0' },
  'create-order': { amount: 5, currency: 'USD' },
  'create-webhook': WEBHOOK,
  'update-webhook': { description: 'b' },
  'recover-webhook': { since: '2026-01-01T00:00:00Z' },
};

const paths: Record<string, string> = { model: 'sim/chat', version: '1.0.0', provider: 'stripe' };
const PAYMENT = signedEvent(
  'checkout.session.expired',
  {
    id: 'cs_1',
    client_reference_id: `ord_${systemUlid()}`,
    metadata: { order_id: `ord_${systemUlid()}`, account_id: `acc_${systemUlid()}` },
  },
  'whsec_1',
);

interface TroubledResponse {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const eventOf = ({ method, path, authentication, endpoint }: Route, credential?: 'session') => {
  const names = [...path.matchAll(/\{(\w+)\+?\}/g)].map(([, name = '']) => name);
  const valueOfParameter = (name: string) =>
    paths[`${path.split('/{')[0]} ${name}`] ?? paths[name] ?? systemUlid();
  const parameters = Object.fromEntries(names.map((name) => [name, valueOfParameter(name)]));
  const { session, operator, key } = credentials;
  const ownCredential = { session, operator, 'api-key': key, 'api-key-or-session': key, none: '' }[
    authentication
  ];
  const bearer = credential === undefined ? ownCredential : credentials[credential];
  return lambdaEvent({
    path: path.replaceAll(/\{(\w+)\+?\}/g, (_, name: string) => String(parameters[name])),
    httpMethod: method,
    pathParameters: parameters,
    multiValueHeaders: {
      authorization: [`Bearer ${bearer}`],
      'content-type': ['application/json'],
      'idempotency-key': [systemUlid()],
      'stripe-signature': [PAYMENT.signature],
    },
    multiValueQueryStringParameters: endpoint === 'search-listings' ? { q: ['a'] } : null,
    body:
      endpoint === 'receive-payment-event'
        ? PAYMENT.body
        : method === 'GET'
          ? null
          : JSON.stringify(BODIES[endpoint] ?? {}),
  });
};

/** One call of the route's own handler while its database fails from a request on. */
async function callUnder(
  route: Route,
  from: number,
  credential?: 'session',
): Promise<TroubledResponse & { readonly wasTroubled: boolean }> {
  // Another environment: what handlers of one process have in common, they do not have here.
  const environment = { ...process.env, AWS_ENDPOINT_URL: `${origin}/${route.endpoint}` };
  process.env = Object.defineProperty(environment, '_X_AMZN_TRACE_ID', { get: () => calls.getStore() });
  const trouble = { requests: 0, from };
  const call = systemUlid();
  troubles.set(call, trouble).set(route.endpoint, trouble);
  const { handler } = await import(handlerOf(route.endpoint));
  const context = { getRemainingTimeInMillis: () => 60_000 };
  const event = eventOf(route, credential);
  if (route.response === 'buffered')
    return {
      ...(await calls.run(call, () => handler(event, context))),
      wasTroubled: trouble.requests >= from,
    };
  const stream = new PassThrough() as PassThrough & { metadata: Omit<TroubledResponse, 'body'> };
  const [body] = await Promise.all([text(stream), calls.run(call, () => handler(event, stream, context))]);
  return { ...stream.metadata, body, wasTroubled: trouble.requests >= from };
}

const routeOf = (endpoint: string): Route => ROUTES.find((route) => route.endpoint === endpoint) as Route;

/** Makes something by its endpoint, with a database that works. */
async function make(endpoint: string): Promise<{ readonly id: string }> {
  const { statusCode, body } = await callUnder(routeOf(endpoint), Number.POSITIVE_INFINITY);
  if (statusCode >= 300) throw new Error(`${endpoint}: ${statusCode} ${body}`);
  return JSON.parse(body) as { readonly id: string };
}

let printed: CapturedLines;

beforeAll(async () => {
  printed = captureLines();
  database = await startDatabase();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const catalog = JSON.stringify({
    models: ['chat', 'embeddings', 'image', 'tts'].map((type) => ({
      id: `sim/${type}`,
      type,
      owned_by: 'sim',
      created: 1,
      ...(type === 'chat' ? { max_output_tokens: 100 } : {}),
      price:
        type === 'image'
          ? { unit: 'per_image', image: 0.01 }
          : { unit: 'per_million_tokens', input: 1, output: 2 },
      routes: [
        {
          id: type,
          protocol: 'openai',
          base_url: `${origin}/upstream`,
          upstream_model: 'm',
          secret: 'env:AWS_REGION',
        },
      ],
    })),
  });
  await writeCatalog(database.client, database.tables.catalog, catalog);
  for (const { endpoint } of ROUTES) Object.assign(process.env, functionVariables(endpoint));
  Object.assign(process.env, database.environment, {
    AWS_ACCESS_KEY_ID: ENGINE_CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: ENGINE_CREDENTIALS.secretAccessKey,
    AWS_ENDPOINT_URL: origin,
    POWERTOOLS_LOG_LEVEL: 'SILENT',
  });
  const { accountId, keys } = await openAccount(database.client, 1_000_000_000_000n, {});
  const [{ keyId }] = keys;
  await database.client.send(
    new PutItemCommand({
      TableName: database.tables.accounts,
      Item: {
        account_id: { S: accountId },
        item: { S: 'account' },
        created: { N: '0' },
        operator_since: { N: '0' },
      },
    }),
  );
  const { sessions } = createSessions({ environment: process.env, log: SILENT, clients: database });
  credentials = {
    session: await sessions.start(accountId, 3600),
    operator: await sessions.start(accountId, 3600, 'operator'),
    key: formatKey({ accountId, keyId, secret: secretOf(keyId) }, JSON.parse(SECRET)),
    keyId,
  };
  paths['/credits api_key'] = credentials.key;
  const [listing, key, webhook] = [
    await make('create-listing'),
    await make('create-key'),
    await make('create-webhook'),
  ];
  Object.assign(paths, {
    '/apps id': listing.id,
    '/api-keys id': key.id,
    '/api/v1/webhooks id': webhook.id,
  });
});
afterAll(async () => {
  printed.restore();
  server.closeAllConnections();
  server.close();
  await database.stop();
  // Metrics are lines of the standard output; a failure of the database prints nothing else.
  expect(printed.lines.filter((line) => !line.startsWith('{"_aws"'))).toEqual([]);
});

/** Those that read no table, the one whose caller must be a person of an identity provider, and one with a body of its own. */
const OTHER_NAMES = [
  'get-jwks',
  'get-docs',
  'get-docs-asset',
  'get-console',
  'get-console-asset',
  'get-index',
  'create-session',
  'get-health',
  'list-identity-providers',
];

const isDeletion = (endpoint: string): boolean => endpoint.startsWith('delete-');

const endsSession = (endpoint: string): boolean =>
  ['renew-session', 'delete-session', 'delete-operator-session'].includes(endpoint);

/**
 * The endpoints, with deletions after the others because these need the deleted objects. The end of the session is
 * last.
 */
const ENDPOINTS = [...new Set(ROUTES.map(({ endpoint }) => endpoint))]
  .filter((endpoint) => !OTHER_NAMES.includes(endpoint))
  .sort((a, b) => Number(isDeletion(a)) - Number(isDeletion(b)))
  .sort((a, b) => Number(endsSession(a)) - Number(endsSession(b)));

/** With a session too, where a route takes a key or a session. */
const CALLS = ENDPOINTS.flatMap((endpoint): (readonly [string, 'session' | undefined])[] =>
  routeOf(endpoint).authentication === 'api-key-or-session'
    ? [
        [endpoint, 'session'],
        [endpoint, undefined],
      ]
    : [[endpoint, undefined]],
);

it.each(CALLS)(
  'a request to %s ends with 503 and Retry-After, whichever of its database requests fails',
  async (endpoint, credential) => {
    const route = routeOf(endpoint);
    const responses = [];
    for (const from of POSITIONS) {
      const answer = await callUnder(route, from, credential);
      if (!answer.wasTroubled) {
        // A paid call that its upstream has had is answered as that was.
        const isOverloaded = ({ statusCode, headers, body }: TroubledResponse) =>
          statusCode === 503 && Number(headers['retry-after']) > 0 && body.includes('"service_unavailable"');
        const isSuccess = ({ statusCode }: TroubledResponse) =>
          route.paid === true && statusCode === answer.statusCode;
        expect(responses.length).toBeGreaterThan(0);
        expect(responses.filter((troubled) => !isOverloaded(troubled) && !isSuccess(troubled))).toEqual([]);
        expect(answer.statusCode).not.toBe(500);
        return;
      }
      responses.push(answer);
    }
    throw new Error(`${endpoint} sends more than ${POSITIONS.length} requests to the database`);
  },
);
