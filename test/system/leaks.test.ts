import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Service } from './service.ts';

/** Words that stand for what must appear nowhere: in no log, no error and no table. */
const PROMPT = 'canaryprompt7f3a';
const SYSTEM = 'canarysystem91bc';
const ARGUMENT = 'canaryargument55de';
const UPSTREAM_TEXT = 'canaryupstream0d1e';
const SECRET = 'canarysecret2277';

const service = new Service({ SIM_KEY: SECRET });
let account: { readonly id: string; readonly key: string };
const bodies: string[] = [];

beforeAll(async () => {
  await service.start();
  account = await service.account('1');
}, 90_000);
afterAll(() => service.dispose());

const request = (fields: object = {}) => ({
  model: 'sim/chat',
  messages: [
    { role: 'system', content: SYSTEM },
    { role: 'user', content: `Repeat exactly: ${PROMPT}` },
  ],
  ...fields,
});

async function queueFault(fault: object): Promise<void> {
  await fetch(`${service.session.upstream_control_url}/faults`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ fault }),
  });
}

async function call(body: object): Promise<string> {
  const response = await service.chat(body, { key: account.key });
  return response.text();
}

it('a prompt, an answer, a key and a secret are in no log and in no table', async () => {
  expect(await call(request())).toContain(PROMPT);
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
  const wrong = await call({ ...request(), temperature: 9, user: PROMPT });
  await service.fetch(`/credits/${account.key}`, { key: account.key });
  await service.fetch(`/credits/${account.key}x`, { key: `${account.key}x` });
  expect(wrong).not.toContain(PROMPT);
  await service.stop();
  const canaries = [PROMPT, SYSTEM, ARGUMENT, SECRET, account.key, account.key.slice(-72, -32)];
  for (const canary of canaries) expect(service.output.includes(canary) ? canary : '').toBe('');
  const files = readdirSync(service.directory, { recursive: true, withFileTypes: true }).filter((file) =>
    file.isFile(),
  );
  expect(files.length).toBeGreaterThan(2);
  for (const file of files) {
    const content = readFileSync(join(file.parentPath, file.name)).toString('latin1');
    for (const canary of canaries) expect(content.includes(canary) ? `${file.name}: ${canary}` : '').toBe('');
  }
  await service.start();
}, 60_000);

it('nothing of an upstream shows in an error: no text, host, key or model name', async () => {
  const upstream = new URL(service.session.upstream_control_url).host;
  const body = {
    error: {
      message: `${UPSTREAM_TEXT} at http://${upstream} with ${SECRET}`,
      type: 'x',
      code: 'y',
      param: UPSTREAM_TEXT,
    },
  };
  for (const status of [400, 401, 404, 422, 429, 500, 503]) {
    for (const stream of [false, true]) {
      await queueFault({ status, body });
      bodies.push(await call(request({ stream })));
    }
  }
  for (const fault of [
    { garbage: true },
    { reset: true },
    { cut_after_chunks: 2 },
    { error_event_after_chunks: 2 },
  ]) {
    for (const stream of [false, true]) {
      await queueFault(fault);
      bodies.push(await call(request({ stream })));
    }
  }
  for (const text of bodies) {
    expect(text).toMatch(/"error"|chat\.completion/);
    for (const canary of [UPSTREAM_TEXT, SECRET, upstream, '127.0.0.1', '"chat"']) {
      expect(text.includes(canary) ? `${canary} in ${text.slice(0, 300)}` : '').toBe('');
    }
  }
  for (const canary of [UPSTREAM_TEXT, SECRET])
    expect(service.output.includes(canary) ? canary : '').toBe('');
}, 60_000);
