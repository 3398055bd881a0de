import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { probeRoute } from '../../../operator/probe/probe.ts';
import { startUpstream, type Upstream } from '../../../simulators/models/server.ts';

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream({ chunkDelayMs: 0 });
});
afterAll(() => upstream.close());

const SECRET = 'the-key-of-the-route';

/** What stands between the probe and the host: it answers some requests itself. */
type Between = (body: string, tries: number) => Response | undefined;

const error = (status: number, message: string, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify({ error: { message } }), { status, headers });

/** Probes a host behind something that answers some requests itself; `asked` counts what was sent. */
async function probe(between: Between, over: object = {}) {
  const sent = new Map<string, number>();
  const route = {
    ...{ protocol: 'openai' as const, upstream_model: 'chat', dialect: undefined, reasoning: false },
    base_url: `${upstream.url}/hosts/none/v1`,
    ...over,
  };
  const probed = await probeRoute(route, {
    ...{ pauseMs: 1, secret: SECRET },
    authorize: async () => ({ authorization: `Bearer ${SECRET}` }),
    fetch: async (url, init) => {
      const body = String(init?.body);
      const tries = (sent.get(body) ?? 0) + 1;
      sent.set(body, tries);
      return between(body, tries) ?? fetch(url, init);
    },
  });
  return { ...probed, tries: [...sent].map(([body, count]) => ({ body, count })) };
}

const triesOf = ({ tries }: Awaited<ReturnType<typeof probe>>, field: string) =>
  tries.filter(({ body }) => body.includes(field)).map(({ count }) => count);

describe('a refusal that is not of what is asked about', () => {
  it.each([429, 500, 502, 503, 529, 408])('with %s is no flag: it is tried once more', async (status) => {
    const passing = await probe((body, tries) =>
      body.includes('"store"') && tries === 1 ? error(status, 'later') : undefined,
    );
    expect([passing.found, passing.unclear, triesOf(passing, '"store"')]).toEqual([{}, {}, [2]]);
    const lasting = await probe((body) => (body.includes('"store"') ? error(status, 'later') : undefined));
    expect(lasting.found).toEqual({});
    expect(lasting.unclear).toEqual({ store: `status ${status}: later` });
    expect(triesOf(lasting, '"store"')).toEqual([2]);
  });

  it('waits as long as the host asks, and not for one that asks for too long', async () => {
    const patient = await probe((body, tries) =>
      body.includes('"store"') && tries === 1 ? error(429, 'later', { 'retry-after': '0' }) : undefined,
    );
    expect(triesOf(patient, '"store"')).toEqual([2]);
    const long = await probe((body) =>
      body.includes('"store"') ? error(429, 'later', { 'retry-after': '3600' }) : undefined,
    );
    expect([triesOf(long, '"store"'), Object.keys(long.unclear)]).toEqual([[1], ['store']]);
  });

  it('with 401, 403, 404 or 413 is no flag either, and is not tried again', async () => {
    for (const status of [401, 403, 404, 413]) {
      const found = await probe((body) => (body.includes('"store"') ? error(status, 'no') : undefined));
      expect([found.found, found.unclear]).toEqual([{}, { store: `status ${status}: no` }]);
      expect(triesOf(found, '"store"')).toEqual([1]);
    }
  });

  it('of the control too says nothing', async () => {
    const { found, unclear } = await probe((body) =>
      body.includes('"developer"') || body.includes('Be brief') ? error(400, 'no instructions') : undefined,
    );
    expect(found).toEqual({});
    expect(unclear).toEqual({
      developer_role: 'refused also without it (status 400: no instructions)',
      system_messages: 'refused also without it (status 400: no instructions)',
    });
  });

  it('of every tool says nothing of tools', async () => {
    const { found, unclear } = await probe((body) =>
      body.includes('"tools"') ? error(400, 'no tools') : undefined,
    );
    expect(found).toEqual({});
    expect(Object.keys(unclear).sort()).toEqual([
      ...['all_properties_required', 'assistant_after_tools', 'parallel_tool_calls', 'reasoning_return'],
      ...['schemas', 'strict_tools', 'tool_call_ids'],
    ]);
  });

  it('of what is no answer says nothing', async () => {
    for (const text of ['<html>', '{"error":{"message":"no"},"choices":[]}', '{}', 'null']) {
      const { unclear } = await probe((body) => (body.includes('"store"') ? new Response(text) : undefined));
      expect(unclear).toEqual({ store: 'the answer has another format' });
    }
    const { unclear } = await probe((body) =>
      body.includes('"stream_options"') ? new Response('{"choices":[{}]}') : undefined,
    );
    expect(unclear).toEqual({ stream_options: 'the answer has another format' });
  });
});

describe('a host on which a plain call does not work', () => {
  it.each([
    [401, 'status 401: Incorrect key'],
    [404, 'status 404: Incorrect key'],
    [503, 'status 503: Incorrect key'],
    [400, 'status 400: Incorrect key'],
  ])('ends the probe with the reason: %s', async (status, reason) => {
    let calls = 0;
    const probing = probe(() => {
      calls += 1;
      return error(status, 'Incorrect key');
    });
    await expect(probing).rejects.toThrow(`a plain call does not work: ${reason}`);
    expect(calls).toBeLessThanOrEqual(2);
  });

  it('that does not answer ends it too', async () => {
    const probing = probe(() => {
      throw new TypeError('fetch failed');
    });
    await expect(probing).rejects.toThrow('a plain call does not work: the host does not answer');
  });
});

describe('what a probe shows of a host', () => {
  it('has no key, no address and no long text of it', async () => {
    const hostile = `Bad key ${SECRET} at https://internal.example/x for org-abc123XYZ, ${'word '.repeat(100)}`;
    const probed = await probe((body) => (body.includes('"store"') ? error(403, hostile) : undefined));
    expect(probed.unclear.store).toMatch(/^status 403: Bad key/);
    const shown = JSON.stringify({ ...probed, tries: undefined });
    for (const hidden of [SECRET, 'internal.example', 'abc123XYZ']) expect(shown).not.toContain(hidden);
    expect(probed.unclear.store?.length).toBeLessThan(150);
  });

  it('compares what was found with the catalog, and keeps of the catalog what was not clear', async () => {
    const dialect = { store: false, reasoning_return: 'reasoning_content', schemas: 'simple' } as const;
    const probed = await probe(
      (body) => {
        if (body.includes('prefixItems')) return error(503, 'later');
        return body.includes('stream_options') ? error(400, 'Unknown field') : undefined;
      },
      { dialect },
    );
    expect(probed.differences).toEqual([
      { flag: 'stream_options', found: false, catalog: null },
      { flag: 'store', found: null, catalog: false },
      { flag: 'reasoning_return', found: null, catalog: 'reasoning_content' },
    ]);
    expect(probed.dialect).toEqual({ stream_options: false, schemas: 'simple' });
  });

  it('takes a route that is marked as reasoning for one with the newer bound', async () => {
    const { differences } = await probe(
      (body) => (body.includes('"max_tokens"') ? error(400, 'Unknown field') : undefined),
      { reasoning: true },
    );
    expect(differences).toEqual([]);
  });
});
