import { randomUUID } from 'node:crypto';
import { readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, it } from '@jest/globals';
import { form, wav } from '../../tools/test-kit/recordings.ts';
import { LeftoverTexts, NOWHERE } from './left-texts.ts';
import { oneService } from './one-service.ts';
import { Payer } from './payer.ts';

/** Words that stand for what must appear nowhere: in no log, no error and no table. */
const PROMPT = 'canaryprompt7f3a';
const SYSTEM = 'canarysystem91bc';
const ARGUMENT = 'canaryargument55de';
const UPSTREAM_TEXT = 'canaryupstream0d1e';
/** The texts that Claude Code sends: the header with its session, and the first text of its system prompt. */
const SESSION = 'canarysession4c1b';
const BILLING = 'canarybilling88e7';
const SECRET = 'canarysecret2277';
/** A text that only calls other than conversations contain. */
const KIND_TEXT = 'quetzalcoatlus';
const IDEMPOTENCY_KEY = 'canary-idempotency-key';

const PROTOCOLS = ['openai', 'openai-responses', 'anthropic', 'bedrock', 'gemini'] as const;

/** Ways in which a route fails. */
const FAULTS: readonly object[] = [
  ...[400, 401, 404, 422, 429, 500, 503].map((status) => ({ status })),
  { garbage: true },
  { reset: true },
  { cut_after_chunks: 2 },
  { error_event_after_chunks: 2 },
];

/**
 * Every fault, streamed and not, over one API format: the next protocol has it over the next format.
 * `test/endpoints/hostile-answers.test.ts` holds every protocol to it over every format.
 */
const casesOf = (protocol: (typeof PROTOCOLS)[number]) =>
  FAULTS.flatMap((fault, index) =>
    // Only a stream can fail by an event of its own.
    ('error_event_after_chunks' in fault ? [true] : [false, true]).map((stream) => {
      const turn = PROTOCOLS.indexOf(protocol) + index + Number(stream);
      return { fault, stream, send: SENDS[turn % SENDS.length] ?? call };
    }),
  );

/** Each case has a model of its own: a route that is left alone after one of them would hide the rest. */
const modelsOf = (protocol: (typeof PROTOCOLS)[number]) => ['whole', ...casesOf(protocol).keys()];

type Which = number | string;
const modelOf = (protocol: string, which: Which) => `sim/${protocol}-${which}`;
const upstreamModelOf = (protocol: string, which: Which) => `up-${protocol}-${which}`;

const modelsAt = (upstream: string): readonly object[] =>
  PROTOCOLS.flatMap((protocol) =>
    modelsOf(protocol).map((which) => ({
      id: modelOf(protocol, which),
      type: 'chat',
      owned_by: 'sim',
      created: 1_760_000_000,
      price: { unit: 'per_million_tokens', input: 1, output: 2 },
      routes: [
        {
          id: `route-${protocol}-${which}`,
          protocol,
          upstream_model: upstreamModelOf(protocol, which),
          capabilities: ['tools', 'json', 'vision', 'stream'],
          ...(protocol === 'bedrock'
            ? {}
            : { base_url: `${upstream}/${protocol === 'gemini' ? 'v1beta' : 'v1'}`, secret: 'env:SIM_KEY' }),
        },
      ],
    })),
  );

const service = oneService({ SIM_KEY: SECRET, LOG_LEVEL: 'DEBUG' });
let account: { readonly id: string; readonly key: string };

beforeAll(async () => {
  const { upstream_control_url: control } = service.session;
  const { document } = await service.admin<{ document: { models: readonly object[] } }>('catalog', 'show');
  const models = [...document.models, ...modelsAt(new URL(control).origin)];
  // Applied before any function has read a catalog.
  const file = join(service.directory, 'catalog.json');
  writeFileSync(file, JSON.stringify({ ...document, models }));
  await service.admin('catalog', 'apply', file, '--remove');
  account = await service.account('5');
});

const request = (fields: object = {}) => ({
  model: modelOf('openai', 'whole'),
  messages: [
    { role: 'system', content: SYSTEM },
    { role: 'user', content: `Repeat exactly: ${PROMPT}` },
  ],
  ...fields,
});

async function textOf(path: string, body: object, headers: Record<string, string> = {}): Promise<string> {
  return (await service.post(path, body, { key: account.key, headers })).text();
}

const call = (body: object, headers?: Record<string, string>) =>
  textOf('/v1/chat/completions', body, headers);
const callMessages = (body: object) => textOf('/v1/messages', body, { 'x-claude-code-session-id': SESSION });
const callResponses = (body: object) => textOf('/v1/responses', body);

/** A Responses request likewise; its answer goes back sealed. */
const responsesRequest = (fields: object = {}) => ({
  model: modelOf('openai-responses', 'whole'),
  instructions: SYSTEM,
  input: [
    { type: 'function_call', call_id: 'c', name: 'f', arguments: JSON.stringify({ a: ARGUMENT }) },
    { type: 'function_call_output', call_id: 'c', output: ARGUMENT },
    { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: ARGUMENT }] },
    { role: 'user', content: `Repeat exactly: ${PROMPT}` },
  ],
  reasoning: { effort: 'high', summary: 'auto' },
  ...fields,
});

/** A Messages request with every kind of content that could be written down somewhere. */
const messagesRequest = (fields: object = {}) => ({
  model: modelOf('anthropic', 'whole'),
  system: [
    { type: 'text', text: `x-anthropic-billing-header: cc_version=${BILLING};` },
    { type: 'text', text: SYSTEM },
  ],
  messages: [
    { role: 'user', content: 'x' },
    { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'f', input: { a: ARGUMENT } }] },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 't', content: ARGUMENT },
        { type: 'text', text: `Repeat exactly: ${PROMPT}` },
      ],
    },
  ],
  ...fields,
});

const SENDS = [call, callMessages, callResponses];

const BODIES = new Map<(body: object) => Promise<string>, (fields: object) => object>([
  [call, request],
  [callMessages, messagesRequest],
  [callResponses, responsesRequest],
]);

it.each(PROTOCOLS)(
  'nothing of an upstream shows in an error of any API format: no text, host, key or model name (%s)',
  async (protocol) => {
    const upstream = new URL(service.session.upstream_control_url).host;
    const message = `${UPSTREAM_TEXT} at http://${upstream} with ${SECRET}`;
    const body = { message, error: { message, type: 'x', code: 'y', param: UPSTREAM_TEXT } };
    for (const [index, { fault, stream, send }] of casesOf(protocol).entries()) {
      const queued = 'status' in fault ? { ...fault, body } : fault;
      // A connection that was kept is tried once more.
      await service.fault(queued, { model: upstreamModelOf(protocol, index) }, 2);
      const model = modelOf(protocol, index);
      const text = await send(BODIES.get(send)?.({ model, stream }) ?? {});
      expect(text).toContain('"error"');
      for (const canary of [UPSTREAM_TEXT, SECRET, upstream, '127.0.0.1', 'up-', 'route-'])
        expect(text.includes(canary) ? `${canary} in ${text.slice(0, 300)}` : '').toBe('');
    }
    for (const canary of [UPSTREAM_TEXT, SECRET])
      expect(service.output.includes(canary) ? canary : '').toBe('');
  },
);

/** Calls of the other kinds that are served, and that fail in each way; returns a transcript. */
async function callKinds(): Promise<string> {
  const payer = await Payer.open(service, '5');
  const post = (path: string, body: object) => payer.post(path, body, { 'idempotency-key': randomUUID() });
  const calls = [
    () => post('/v1/embeddings', { input: `${KIND_TEXT} embedding` }),
    () => post('/v1/images/generations', { model: 'sim/image', prompt: KIND_TEXT, size: '512x512' }),
    () => post('/v1/embeddings', { model: 'sim/embed-bedrock', input: KIND_TEXT }),
    () => post('/v1/images/generations', { model: 'sim/image-bedrock', prompt: KIND_TEXT }),
    () => post('/v1/audio/speech', { model: 'sim/tts', input: KIND_TEXT }),
    () => post('/v1/audio/transcriptions', form(wav(1.2), `${KIND_TEXT}.wav`, { prompt: KIND_TEXT })),
  ];
  let transcript = '';
  for (const send of calls) {
    const response = await send();
    expect(response.status).toBe(200);
    const body = await response.text();
    if (body.startsWith('{"text"')) transcript = (JSON.parse(body) as { text: string }).text;
    // The ways of failing: a route that breaks, a route that refuses, an answer that is malformed.
    for (const fault of [{ cut_after_bytes: 1 }, { status: 400 }, { garbage: true }]) {
      await service.fault(fault);
      await (await send()).arrayBuffer().catch(() => {});
    }
  }
  expect(transcript.length).toBeGreaterThan(20);
  return transcript;
}

it('the service writes no prompt, output, key or secret to any log or table', async () => {
  const transcript = await callKinds();
  for (const headers of [{}, { 'idempotency-key': IDEMPOTENCY_KEY }])
    expect(await call(request(), headers)).toContain(PROMPT);
  await call(request({ stream: true }));
  await call({
    ...request(),
    messages: [
      { role: 'user', content: 'x' },
      {
        role: 'assistant',
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: ARGUMENT } }],
      },
      { role: 'tool', tool_call_id: 'c', content: ARGUMENT },
    ],
  });
  for (const protocol of PROTOCOLS) {
    const model = modelOf(protocol, 'whole');
    for (const stream of [false, true]) {
      expect(await callMessages(messagesRequest({ model, stream }))).toMatch(/"message(_stop)?"/);
      expect(await call(request({ model, stream }))).toContain('chat.completion');
      const response = await callResponses(responsesRequest({ model, stream }));
      expect(response).toMatch(/"status":"completed"/);
      const [end] = /rs_uis1i_[A-Za-z0-9_-]+/.exec(response) ?? [];
      const input = [{ type: 'item_reference', id: end }, ...responsesRequest().input];
      expect(await callResponses(responsesRequest({ model, input }))).toMatch(/"status":"completed"/);
    }
  }
  await callMessages(messagesRequest({ temperature: 9, note: PROMPT }));
  const wrong = await call({ ...request(), temperature: 9, user: PROMPT });
  await service.fetch(`/credits/${account.key}`, { key: account.key });
  await service.fetch(`/credits/${account.key}x`, { key: `${account.key}x` });
  expect(wrong).toContain('temperature');
  expect(wrong).not.toContain(PROMPT);
  await service.stop();
  const canaries = [
    PROMPT,
    SYSTEM,
    ARGUMENT,
    SESSION,
    BILLING,
    SECRET,
    KIND_TEXT,
    transcript,
    IDEMPOTENCY_KEY,
    account.key,
    account.key.slice(-72, -32),
  ];
  const uploads = readdirSync(tmpdir())
    .filter((name) => name.startsWith('upload-'))
    .map((name) => join(tmpdir(), name));
  const leftoverTexts = new LeftoverTexts(service, uploads);
  // Neither is a secret: they show that the log and the database are searched as they are read.
  expect(leftoverTexts.find('requestId=req_').printed).toBe(true);
  expect(leftoverTexts.find(account.id).files).not.toEqual([]);
  for (const canary of canaries) expect([canary, leftoverTexts.find(canary)]).toEqual([canary, NOWHERE]);
});
