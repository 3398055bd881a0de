import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { COOLDOWN_MS } from '../../lambdas/inference/core/circuit/circuit.ts';
import { startUpstream, type Upstream } from '../../tools/simulators/models/server.ts';
import { until } from '../../tools/test-kit/waiting.ts';
import { Service } from './service.ts';

const service = new Service();
let upstream: Upstream;
let key: string;

const route = (id: string, priority: number) => ({
  id,
  protocol: 'openai',
  base_url: `${upstream.url}/v1`,
  // The upstream knows it by this name, and so do its faults and its log.
  upstream_model: id,
  secret: 'env:SIM_KEY',
  capabilities: ['stream'],
  priority,
});

const model = (id: string, ...routes: readonly string[]) => ({
  id,
  type: 'chat',
  owned_by: 'sim',
  created: 1,
  price: { unit: 'per_million_tokens', input: 1, output: 2 },
  routes: routes.map((name, index) => route(name, index + 1)),
});

beforeAll(async () => {
  upstream = await startUpstream();
  const catalog = join(service.directory, 'catalog.json');
  const models = [model('sim/steady', 'steady-a', 'steady-b'), model('sim/gone', 'fail-500', 'fail-503')];
  writeFileSync(catalog, JSON.stringify({ models }));
  await service.start({ CATALOG: catalog, SIM_KEY: 'simulated' });
  ({ key } = await service.account('5'));
}, 90_000);
afterAll(async () => {
  await service.dispose();
  await upstream.close();
});

const SURFACES = { chat: '/v1/chat/completions', messages: '/v1/messages' };

type SurfaceName = keyof typeof SURFACES;

const send = (surface: SurfaceName, name: string, stream: boolean): Promise<Response> =>
  service.fetch(SURFACES[surface], {
    method: 'POST',
    key,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      model: name,
      stream,
      max_tokens: 20,
      messages: [{ role: 'user', content: 'Repeat exactly: on and on' }],
    }),
  });

const control = async (path: string, init: RequestInit = {}) => {
  const response = await fetch(`${upstream.controlUrl}${path}`, {
    ...init,
    headers: { 'content-type': 'application/json' },
  });
  return (await response.json()) as Record<string, unknown>;
};

interface UpstreamCount {
  readonly sequence: number;
  readonly started_at: string;
  readonly body: { readonly model?: string } | null;
}

const since = async (sequence: number): Promise<readonly UpstreamCount[]> =>
  ((await control(`/requests?since=${sequence}`)) as { requests: readonly UpstreamCount[] }).requests;

const received = async () => ((await control('/stats')) as { requests: number }).requests;

/** One call after another on both surfaces, streamed and not, none of which may fail; when each try of the first route began. */
async function round(): Promise<readonly number[]> {
  const before = await received();
  for (const surface of ['chat', 'messages'] as const)
    for (const stream of [false, true]) {
      const response = await send(surface, 'sim/steady', stream);
      const text = await response.text();
      expect([response.status, text]).toEqual([200, expect.not.stringContaining('"error"')]);
    }
  const requests = await since(before);
  return requests
    .filter(({ body }) => body?.model === 'steady-a')
    .map(({ started_at: startedAt }) => Date.parse(startedAt));
}

/** A round now and then until one tries the first route: its cooldown outlasts hundreds of rounds. */
async function probes(): Promise<readonly number[]> {
  for (;;) {
    const attempts = await round();
    if (attempts.length > 0) return attempts;
    await pause(500);
  }
}

/** A circuit opens with its fifth failure. */
const FAILURES = 5;

describe('the circuit of the first of two routes', () => {
  it('spares callers its outage, allows one probe per cooldown, and closes when the route recovers', async () => {
    const isAttempted = (attempts: readonly number[]) => attempts.length > 0;
    const isServing = (attempts: readonly number[]) => attempts.length === 4;
    await until(round, isServing);

    const fault = { match: { model: 'steady-a' }, fault: { status: 500 }, times: 0 };
    await control('/faults', { method: 'POST', body: JSON.stringify(fault) });
    const failed: number[] = [];
    // The processes of both surfaces have learned of it when none of them tries the route.
    await until(round, (attempts) => {
      failed.push(...attempts);
      return !isAttempted(attempts);
    });
    expect(failed.length).toBeGreaterThanOrEqual(FAILURES);

    // The earliest that the circuit can have opened: the clock of the upstream is that of the service.
    const openedMs = failed[FAILURES - 1] ?? 0;
    const probeResults = await probes();
    expect(probeResults).toHaveLength(1);
    const [probedMs = 0] = probeResults;
    expect(probedMs - openedMs).toBeGreaterThanOrEqual(COOLDOWN_MS);
    await control('/faults', { method: 'DELETE' });

    const [recoveredMs = 0] = await probes();
    expect(recoveredMs - probedMs).toBeGreaterThanOrEqual(COOLDOWN_MS);
    await until(round, isServing);
    const logged = (what: string) => service.output.split(`circuit ${what} route=steady-a`).length - 1;
    expect({ opened: logged('opened'), closed: logged('closed') }).toEqual({ opened: 1, closed: 1 });
    expect(await service.admin('audit')).toMatchObject({ exact: true, drift: 0, held: 0 });
    // Two cooldowns have to pass.
  }, 240_000);
});

describe('a model whose every route is dead', () => {
  it.each(['chat', 'messages'] as const)(
    'responds to %s with 503 in the envelope of that format, with Retry-After, and finally without an attempt',
    async (surface) => {
      const error = { type: 'service_unavailable', message: expect.any(String) };
      let calls = 0;
      const call = async () => {
        calls += 1;
        const before = await received();
        const response = await send(surface, 'sim/gone', calls % 2 === 1);
        expect(response.status).toBe(503);
        const seconds = Number(response.headers.get('retry-after'));
        expect(seconds).toBeGreaterThanOrEqual(1);
        expect(seconds).toBeLessThanOrEqual(15);
        expect(await response.json()).toMatchObject(
          surface === 'chat'
            ? { error: { ...error, code: 'all_routes_failed', param: null } }
            : { type: 'error', error },
        );
        return (await received()) - before;
      };
      await until(call, (attempts) => attempts === 0);
    },
  );
});
