import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { COOLDOWN_MS } from '../../lambdas/core/inference/circuit/circuit.ts';
import { startUpstream, type Upstream } from '../../simulators/models/server.ts';
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
  const answer = await fetch(`${upstream.controlUrl}${path}`, {
    ...init,
    headers: { 'content-type': 'application/json' },
  });
  return (await answer.json()) as Record<string, unknown>;
};

interface Upstreamed {
  readonly sequence: number;
  readonly started_at: string;
  readonly status: number | null;
  readonly body: { readonly model?: string } | null;
}

/** What the upstream has received, read bit by bit, because it remembers only so much. */
class RequestLog {
  readonly requests: Upstreamed[] = [];

  async read(): Promise<void> {
    const last = this.requests.at(-1)?.sequence ?? 0;
    const { requests } = (await control(`/requests?since=${last}`)) as { requests: readonly Upstreamed[] };
    this.requests.push(...requests);
  }

  /** The requests for a route that began in that time. */
  of(name: string, fromMs: number, toMs = Number.POSITIVE_INFINITY): readonly Upstreamed[] {
    return this.requests.filter(({ body, started_at: started }) => {
      const ms = Date.parse(started);
      return body?.model === name && ms >= fromMs && ms < toMs;
    });
  }
}

/** Callers of both surfaces, streaming and not, who call without end; gives what went wrong. */
function callers(until: AbortSignal) {
  const wrong: string[] = [];
  let calls = 0;
  const call = async (surface: SurfaceName, stream: boolean, index: number) => {
    await pause(index * 50);
    while (!until.aborted) {
      const response = await send(surface, 'sim/steady', stream);
      const text = await response.text();
      calls += 1;
      if (response.status !== 200 || text.includes('"error"'))
        wrong.push(`${surface} ${response.status}: ${text}`);
      await pause(200);
    }
  };
  const running = (['chat', 'messages'] as const).flatMap((surface, at) =>
    [false, true, true].map((stream, index) => call(surface, stream, at * 3 + index)),
  );
  return {
    calls: () => calls,
    ended: async () => {
      await Promise.all(running);
      return wrong;
    },
  };
}

/** How old a process's knowledge may be, and a little for the machine. */
const LOOK_MS = 2_000 + 1_000;

describe('an outage of the first of two routes', () => {
  it('is seen by no caller; the route is left alone, probed once a cooldown, and back when it serves', async () => {
    const log = new RequestLog();
    const end = new AbortController();
    const traffic = callers(end.signal);
    const readLog = async () => {
      while (!end.signal.aborted) {
        await log.read();
        await pause(500);
      }
    };
    const reading = readLog();
    await pause(1_500);

    const failingMs = Date.now();
    const fault = { match: { model: 'steady-a' }, fault: { status: 500 }, times: 0 };
    await control('/faults', { method: 'POST', body: JSON.stringify(fault) });
    // The cooldown begins with the last failure that counts, and the probe within a pause of its end.
    await pause(6_000);
    const openMs = failingMs + 5_000;
    const served = log.of('steady-a', 0, failingMs).length;
    const failed = log.of('steady-a', failingMs, openMs);
    // The window holds what was served before: half of the calls must have failed.
    expect(failed.length).toBeGreaterThanOrEqual(5);
    expect(failed.length).toBeLessThanOrEqual(Math.max(5, served) + 12);
    const lastMs = Date.parse(failed.at(-1)?.started_at ?? '');

    // A probe fails, a second cooldown begins, and the route recovers.
    await pause(lastMs + COOLDOWN_MS + 2_000 - Date.now());
    const probes = log.of('steady-a', openMs);
    expect(probes).toHaveLength(1);
    const probeMs = Date.parse(probes[0]?.started_at ?? '');
    expect(probeMs - lastMs).toBeGreaterThan(COOLDOWN_MS - LOOK_MS);
    await control('/faults', { method: 'DELETE' });
    await pause(probeMs + COOLDOWN_MS - 500 - Date.now());
    expect(log.of('steady-a', openMs)).toHaveLength(1);

    await pause(LOOK_MS + 500);
    const returnedMs = Date.now();
    await pause(1_500);
    end.abort();
    expect(await traffic.ended()).toEqual([]);
    await reading;
    await log.read();
    expect(log.of('steady-a', returnedMs).length).toBeGreaterThan(5);
    expect(log.of('steady-b', returnedMs)).toHaveLength(0);
    const logged = (what: string) => service.output.split(`circuit ${what} route=steady-a`).length - 1;
    expect({ opened: logged('opened'), closed: logged('closed') }).toEqual({ opened: 1, closed: 1 });
    console.info(
      `${traffic.calls()} calls, none failed; the dead route got ${failed.length} after ${served} it had served, ` +
        `the last ${lastMs - failingMs} ms into the outage`,
    );
    expect(await service.admin('audit')).toMatchObject({ exact: true, drift: 0, held: 0 });
  }, 60_000);
});

describe('when every route is dead', () => {
  it.each(['chat', 'messages'] as const)(
    'a caller of %s gets 503 in the envelope of that surface, with Retry-After, and soon without a try',
    async (surface) => {
      const before = (await control('/stats')) as { requests: number };
      for (let call = 0; call < 12; call += 1) {
        const response = await send(surface, 'sim/gone', call % 2 === 1);
        expect(response.status).toBe(503);
        const seconds = Number(response.headers.get('retry-after'));
        expect(seconds).toBeGreaterThanOrEqual(1);
        expect(seconds).toBeLessThanOrEqual(15);
        const error = { type: 'service_unavailable', message: expect.any(String) };
        expect(await response.json()).toMatchObject(
          surface === 'chat'
            ? { error: { ...error, code: 'all_routes_failed', param: null } }
            : { type: 'error', error },
        );
      }
      const { requests } = (await control('/stats')) as { requests: number };
      // Five failures of each of the two routes, over both surfaces, and a few in a process that has not looked yet.
      expect(requests - before.requests).toBeLessThanOrEqual(2 * 5 + 2);
    },
  );
});
