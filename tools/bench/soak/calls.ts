/** The calls of the soak. Each throws unless it ends as it should. */
import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { NANO_PER_USD } from '../../../lambdas/platform/core/money.ts';
import { form, wav } from '../../test-kit/recordings.ts';
import { UNLIMITED } from '../harness/service/account.ts';
import { expectStatus, type Surroundings, send } from './requests.ts';
import { FAILING_MODELS, failingModel } from './service.ts';

type Call = (surroundings: Surroundings) => Promise<void>;

const CHAT_MODELS = [
  'sim/chat',
  'sim/chat-large',
  'sim/chat-anthropic',
  'sim/chat-bedrock',
  'sim/chat-gemini',
  'sim/chat-azure',
  'sim/responses',
  'sim/reasoner-openai',
  'sim/chat-failover',
];

const RECORDING = wav(2);

/** A caller of a shared host may be served for a second with a key as it was before a change. */
const CHANGED_LATER = [200, 401, 403];

const pick = <T>(values: readonly T[], turn: number): T => values[turn % values.length] as T;
const keyOf = ({ service, turn }: Surroundings): string => pick(service.keys, turn);
const modelOf = ({ turn }: Surroundings): string => pick(CHAT_MODELS, turn);
const prompt = ({ turn }: Surroundings, words = 20) => [
  { role: 'user', content: `${turn}: write ${words} words` },
];

const paid =
  (path: string, bodyOf: (surroundings: Surroundings) => object, end = ''): Call =>
  async (surroundings) => {
    const credential = keyOf(surroundings);
    const text = await expectStatus(200, surroundings, path, { credential, body: bodyOf(surroundings) });
    if (!text.includes(end)) throw new Error(`${path} ended before ${end}: ${text.slice(-300)}`);
  };

const rejected =
  (status: number, bodyOf: (surroundings: Surroundings) => object | string, credential?: string): Call =>
  async (surroundings) => {
    const call = { credential: credential ?? keyOf(surroundings), body: bodyOf(surroundings) };
    await expectStatus(status, surroundings, '/v1/chat/completions', call);
  };

const reads =
  (credentialOf: (surroundings: Surroundings) => string, ...paths: readonly string[]): Call =>
  async (surroundings) => {
    await expectStatus(200, surroundings, pick(paths, surroundings.turn), {
      credential: credentialOf(surroundings),
    });
  };

const chatBody = (surroundings: Surroundings, fields: object = {}) => ({
  model: modelOf(surroundings),
  max_tokens: 60,
  messages: prompt(surroundings),
  ...fields,
});

const responsesBody = (surroundings: Surroundings, fields: object = {}) => ({
  model: modelOf(surroundings),
  input: 'write 20 words',
  ...fields,
});

/** Opens a stream, reads its first bytes and closes the connection. */
const leaves: Call = async (surroundings) => {
  const left = new AbortController();
  const response = await send(surroundings, '/v1/chat/completions', {
    credential: keyOf(surroundings),
    body: chatBody(surroundings, { stream: true, max_tokens: 300, messages: prompt(surroundings, 200) }),
    signal: left.signal,
  });
  if (response.status !== 200) throw new Error(`a stream was rejected: ${response.status}`);
  await response.body?.getReader().read();
  left.abort();
};

/** Sends half of a body, waits, and sends the rest or leaves. Resolves with the status, 0 without one. */
function sendSlowly(surroundings: Surroundings, ends: boolean): Promise<number> {
  const body = Buffer.from(JSON.stringify(chatBody(surroundings)));
  return new Promise((resolve) => {
    const call = request(
      `${surroundings.service.url}/v1/chat/completions`,
      {
        method: 'POST',
        agent: false,
        headers: {
          'content-type': 'application/json',
          'content-length': body.length,
          authorization: `Bearer ${keyOf(surroundings)}`,
        },
      },
      (response) => response.resume().once('close', () => resolve(response.statusCode ?? 0)),
    );
    call.once('error', () => resolve(0));
    call.write(body.subarray(0, body.length / 2));
    void sleep(1_500).then(() => (ends ? call.end(body.subarray(body.length / 2)) : call.destroy()));
  });
}

const slowBody =
  (ends: boolean): Call =>
  async (surroundings) => {
    const status = await sendSlowly(surroundings, ends);
    if (status !== (ends ? 200 : 0)) throw new Error(`a slow body was answered with ${status}`);
  };

/** A streamed response is not stored: there the repeated call is an error. */
const replays: Call = async (surroundings) => {
  const isStreamed = surroundings.turn % 2 === 1;
  const call = {
    credential: keyOf(surroundings),
    body: chatBody(surroundings, isStreamed ? { stream: true } : {}),
    headers: { 'idempotency-key': randomUUID() },
  };
  const texts = [
    await expectStatus(200, surroundings, '/v1/chat/completions', call),
    await expectStatus(isStreamed ? 400 : 200, surroundings, '/v1/chat/completions', call),
  ];
  if (!isStreamed && texts[0] !== texts[1]) throw new Error('a repeated call had another response');
};

/** A route fails; in the middle of a stream the status was 200 before. */
const failing: Call = async (surroundings) => {
  const { turn } = surroundings;
  const model = failingModel(pick(FAILING_MODELS, turn));
  const body = chatBody(surroundings, { model, stream: Math.floor(turn / FAILING_MODELS.length) % 2 === 1 });
  await expectStatus([200, 429, 502, 503, 504], surroundings, '/v1/chat/completions', {
    credential: keyOf(surroundings),
    body,
  }).catch((failure) => {
    // A stream that broke off.
    if (!(failure instanceof TypeError)) throw failure;
  });
};

const transcribes: Call = async (surroundings) => {
  const body = form(RECORDING, 'speech.wav', { model: 'sim/stt' });
  await expectStatus(200, surroundings, '/v1/audio/transcriptions', {
    credential: keyOf(surroundings),
    body,
  });
};

/** A key is created, used, changed, rotated and revoked. */
const changesKey: Call = async (surroundings) => {
  const { keySession: credential } = surroundings.service;
  const chat = (key: string, statuses: readonly number[]) =>
    expectStatus(statuses, surroundings, '/v1/chat/completions', {
      credential: key,
      body: chatBody(surroundings, { model: 'sim/chat' }),
    });
  const created = await expectStatus(201, surroundings, '/api-keys', {
    credential,
    body: { name: 'soak', policy: { rpm: 1000 } },
  });
  const { id, key } = JSON.parse(created) as { readonly id: string; readonly key: string };
  await chat(key, [200]);
  const change = (fields: object) =>
    expectStatus(200, surroundings, `/api-keys/${id}`, { method: 'PATCH', credential, body: fields });
  await change({ policy: { allowed_models: ['sim/chat-large'] } });
  await chat(key, CHANGED_LATER);
  await change({ policy: {} });
  const rotated = await expectStatus(200, surroundings, `/api-keys/${id}/rotate`, { credential, body: {} });
  await chat((JSON.parse(rotated) as { readonly key: string }).key, CHANGED_LATER);
  await expectStatus(200, surroundings, `/api-keys/${id}`, { method: 'DELETE', credential });
  await chat(key, CHANGED_LATER);
};

/** An account that has not called before, and whose key ends. */
const newcomes: Call = async (surroundings) => {
  const { operator } = surroundings.service;
  const accountId = await operator.openAccount();
  await operator.grant(accountId, NANO_PER_USD);
  const { key, keyId } = await operator.createKey(accountId, 'soak', UNLIMITED);
  const call = { credential: key, body: chatBody(surroundings) };
  await expectStatus(200, surroundings, '/v1/chat/completions', call);
  await operator.revoke(keyId);
  await expectStatus(CHANGED_LATER, surroundings, '/v1/chat/completions', call);
};

/** A webhook is created, gets an event, shows its delivery and ends. */
const webhooks: Call = async (surroundings) => {
  const { service, receiverUrl, turn } = surroundings;
  const { session: credential } = service;
  const path = '/api/v1/webhooks';
  const url = `${receiverUrl}/${turn % 2 ? 'fails' : 'works'}`;
  const created = await expectStatus(201, surroundings, path, {
    credential,
    body: { url, events: ['purchase.completed'] },
  });
  const { id } = JSON.parse(created) as { readonly id: string };
  await expectStatus([200, 202], surroundings, `${path}/${id}/test`, { credential, body: {} });
  await sleep(1_000);
  await expectStatus(200, surroundings, `${path}/${id}/deliveries`, { credential });
  await expectStatus(200, surroundings, `${path}/${id}`, { method: 'DELETE', credential });
};

/** An order is paid. */
const orders: Call = async (surroundings) => {
  const { session: credential } = surroundings.service;
  const created = await expectStatus(201, surroundings, '/api/create-order', {
    credential,
    body: { amount: 5, currency: 'USD' },
  });
  const { checkout_url: url } = JSON.parse(created) as { readonly checkout_url: string };
  await (await fetch(url, { method: 'POST', redirect: 'manual' })).text();
  await expectStatus(200, surroundings, '/api/orders?limit=5', { credential });
};

const CHAT_PATH = '/v1/chat/completions';
const STREAMED = { stream: true, stream_options: { include_usage: true } };

/** The calls, and how many of each begin a minute. */
export const MIX: Readonly<Record<string, readonly [perMinute: number, call: Call]>> = {
  chat: [60, paid(CHAT_PATH, chatBody)],
  'chat streamed': [70, paid(CHAT_PATH, (each) => chatBody(each, STREAMED), 'data: [DONE]')],
  messages: [25, paid('/v1/messages', chatBody)],
  'messages streamed': [25, paid('/v1/messages', (each) => chatBody(each, { stream: true }), 'message_stop')],
  responses: [20, paid('/v1/responses', responsesBody)],
  'responses streamed': [
    20,
    paid('/v1/responses', (each) => responsesBody(each, { stream: true }), 'response.completed'),
  ],
  embeddings: [
    25,
    paid('/v1/embeddings', ({ turn }) => ({ model: 'sim/embed', input: [`${turn}`, 'a fox'] })),
  ],
  images: [6, paid('/v1/images/generations', () => ({ model: 'sim/image', prompt: 'a fox' }))],
  speech: [8, paid('/v1/audio/speech', () => ({ model: 'sim/tts', input: 'hello' }))],
  transcriptions: [8, transcribes],
  'counts of tokens': [8, paid('/v1/messages/count_tokens', chatBody)],
  'counts of input tokens': [8, paid('/v1/responses/input_tokens', responsesBody)],
  replays: [12, replays],
  'broken JSON': [8, rejected(400, () => '{"model":')],
  'unknown models': [8, rejected(400, (each) => chatBody(each, { model: 'sim/none' }))],
  'unknown keys': [8, rejected(401, chatBody, 'uis_forged')],
  'failing routes': [18, failing],
  'callers who leave': [20, leaves],
  'slow bodies': [6, slowBody(true)],
  'bodies without an end': [4, slowBody(false)],
  'key changes': [3, changesKey],
  'new accounts': [3, newcomes],
  'reads with a key': [
    16,
    reads(keyOf, '/v1/usage?limit=20', '/v1/models', '/api/v1/models', '/v1/models/sim/chat'),
  ],
  'reads of an owner': [
    18,
    reads(
      ({ service }) => service.session,
      '/api/v1/usage?limit=20',
      '/api/v1/usage/rollups',
      '/api/v1/credits',
      '/api-keys',
      '/api/v1/webhooks',
      '/api/v1/auth/me',
    ),
  ],
  webhooks: [2, webhooks],
  // Within the orders that an account may make in a day.
  orders: [1, orders],
};
