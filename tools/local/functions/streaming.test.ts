import { type IncomingMessage, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type GatewaySetup,
  json,
  post,
  type RunningFixture,
  startFixture,
} from '../testing/fixture/running.ts';
import { FIXTURE_TIMEOUT_MS } from '../testing/fixture/synthesize.ts';

let fixture: RunningFixture;

beforeAll(async () => {
  fixture = await startFixture();
}, FIXTURE_TIMEOUT_MS);

afterAll(() => fixture.end());

const stream = (wish: unknown) => post(fixture.url, '/stream', wish);
const state = async () => json<{ written: number; ended: boolean }>(await stream({ state: true }));

/** Returns the chunks as they arrived, and whether the body was cut. */
async function collect(response: Response): Promise<{ fragments: string[]; cut: boolean }> {
  const fragments: string[] = [];
  try {
    for await (const fragment of response.body ?? []) fragments.push(Buffer.from(fragment).toString());
    return { fragments, cut: false };
  } catch {
    return { fragments, cut: true };
  }
}

describe('a streaming function', () => {
  it('sends status and headers with its first write, and each later write at once', async () => {
    const response = await stream({ chunks: 3, isHeld: true, status: 201 });
    expect([response.status, response.headers.get('x-custom'), response.headers.getSetCookie()]).toEqual([
      201,
      'yes',
      ['a=1', 'b=2'],
    ]);
    const fragments: string[] = [];
    for await (const fragment of response.body ?? []) {
      fragments.push(Buffer.from(fragment).toString());
      expect(await state()).toEqual({ written: fragments.length, ended: false });
      await stream({ release: true });
    }
    expect(fragments).toEqual(['data: 0\n\n', 'data: 1\n\n', 'data: 2\n\n']);
  });

  it('waits for a client that does not read', async () => {
    const response = await new Promise<IncomingMessage>((resolve) => {
      const call = request(`${fixture.url}/stream`, { method: 'POST', agent: false }, resolve);
      call.end(JSON.stringify({ chunks: 40, bytes: 1_000_000 }));
    });
    await sleep(300);
    const before = await state();
    expect(before.ended).toBe(false);
    expect(before.written).toBeLessThan(30);
    let size = 0;
    for await (const chunk of response) size += chunk.length;
    expect(size).toBe(40_000_000);
  });

  it('causes a 502 if it throws before its first byte', async () => {
    const response = await stream({ fail: 'before' });
    expect([response.status, (await json<GatewaySetup>(response)).made_by]).toEqual([502, 'DEFAULT_5XX']);
    expect(fixture.lines.join('\n')).toContain('TypeError: failed before the first byte');
  });

  it('writes an incomplete stream if it throws later', async () => {
    const response = await stream({ fail: 'midway' });
    expect(await collect(response)).toMatchObject({ cut: true });
    const { fragments, cut } = await collect(await stream({ fail: 'midway', gapMs: 20 }));
    expect([fragments.join(''), cut]).toEqual(['data: 0\n\ndata: 1\n\n', true]);
  });

  it('causes a 502 as in Lambda if it ends its stream without metadata', async () => {
    expect((await stream({ fail: 'no-metadata' })).status).toBe(502);
  });

  it('writes an incomplete stream if it exceeds its timeout', async () => {
    const { fragments, cut } = await collect(await post(fixture.url, '/brief-stream', { fail: 'hang' }));
    expect([fragments.join(''), cut]).toEqual(['data: 0\n\ndata: 1\n\n', true]);
    expect(fixture.lines.join('\n')).toContain('timed out after 1 s');
  });

  it('causes a 502 behind a buffered route, as does a buffered function behind a streaming one', async () => {
    expect((await post(fixture.url, '/stream-as-buffered', {})).status).toBe(502);
    expect((await post(fixture.url, '/misbehave-as-stream', { way: 'pid' })).status).toBe(502);
  });
});

describe('a gateway that ends silent streams', () => {
  const SILENCE_MS = 1_000;
  let impatient: RunningFixture;

  beforeAll(async () => {
    impatient = await startFixture({ silenceMs: SILENCE_MS });
    // The function's process starts before anything is timed.
    await post(impatient.url, '/stream', {});
  }, FIXTURE_TIMEOUT_MS);

  afterAll(() => impatient.end());

  it('responds for a stream that has sent nothing by the limit', async () => {
    const response = await post(impatient.url, '/stream', { wait: 3 * SILENCE_MS });
    expect((await json<GatewaySetup>(response)).made_by).toBe('INTEGRATION_TIMEOUT');
  });

  it('cuts one that pauses for so long', async () => {
    const { fragments, cut } = await collect(
      await post(impatient.url, '/stream', { chunks: 2, gapMs: 3 * SILENCE_MS }),
    );
    expect([fragments, cut]).toEqual([['data: 0\n\n'], true]);
  });

  it('allows a stream that is never silent for that long to continue, whatever its duration', async () => {
    const wish = { chunks: 12, gapMs: SILENCE_MS / 10, wait: SILENCE_MS / 10 };
    const { fragments, cut } = await collect(await post(impatient.url, '/stream', wish));
    expect([fragments.length > 1, fragments.join('').length, cut]).toEqual([true, 110, false]);
  });
});
