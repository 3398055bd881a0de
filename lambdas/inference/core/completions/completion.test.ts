import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { startUpstream } from '../../../../tools/simulators/models/server.ts';
import type { Ledger } from '../../../ledger/core/admission.ts';
import type { Call } from '../../../ledger/core/call.ts';
import type { StreamedResponse } from '../../../platform/core/ports.ts';
import { systemAfter, systemClock, systemRandom } from '../../../platform/system/system.ts';
import { chatEvents, chatFormat } from '../../formats/chat/format.ts';
import { createProviders } from '../../providers/protocols.ts';
import { createBedrockClients } from '../../store/bedrock-clients.ts';
import { createSealedTokens } from '../../store/sealed-tokens.ts';
import { recordedAdmission } from '../../testing/admission.ts';
import { modelsOf } from '../../testing/catalog/models.ts';
import { createBreaker, SILENT } from '../../testing/circuit/memory-circuits.ts';
import type { ResponseRecorder } from '../idempotency/idempotency.ts';
import { runPaidCall } from '../paid-endpoint.ts';
import { readCompletion } from './completion-endpoint.ts';

const sealedTokensOf = createSealedTokens({ current: 'pepper' }, systemClock);

let upstream: Awaited<ReturnType<typeof startUpstream>>;

beforeAll(async () => {
  upstream = await startUpstream({});
});
afterAll(() => upstream.close());

const CALLER = { requestId: 'req_1', key: { accountId: 'acc_1', keyId: 'key_1', secretHash: '' } };

interface CompletionSetup {
  readonly stream?: boolean;
  readonly remainingMs?: number;
  readonly storeResponse?: ResponseRecorder;
  /** Fields of the request. */
  readonly bound?: object;
  /** Fields of the model. */
  readonly limits?: object;
  /** Fields of each route. */
  readonly route?: object;
  readonly hostEnds?: AbortSignal;
}

/** Runs a call over routes to these upstream models, and keeps what it settled with. */
function calling(
  upstreamModels: readonly string[],
  {
    stream = false,
    remainingMs = 900_000,
    storeResponse,
    bound = { max_tokens: 50 },
    limits = {},
    route = {},
    hostEnds,
  }: CompletionSetup = {},
) {
  const models = modelsOf({
    ...limits,
    routes: upstreamModels.map((upstream_model, index) => ({
      base_url: `${upstream.url}/v1`,
      upstream_model,
      priority: index,
      secret: 'env:KEY',
      capabilities: ['stream'],
      timeout_ms: 5_000,
      // Only a route that hangs by design may end early: others are slow on a busy machine.
      first_byte_timeout_ms: /^hang/.test(upstream_model) ? 200 : 4_900,
      ...route,
    })),
  });
  const { admission, outcomes } = recordedAdmission(1_000_000_000n);
  const ledger = {
    admit: async ({ output }: Call) => ({ ...admission, output: output.max }),
  } as unknown as Ledger;
  const world = { clock: systemClock, after: systemAfter, random: systemRandom };
  const providers = createProviders({
    fetch,
    readSecret: async () => 'key',
    readToken: async () => 'token',
    sign: async ({ headers }) => headers,
    bedrockClient: createBedrockClients({ region: 'us-east-1' }).client,
  });
  const messages = [{ role: 'user' as const, content: 'write 30 words' }];
  const body = { model: 'a/b', messages, ...bound, stream };
  const call = readCompletion(
    chatFormat,
    { body, identity: '', models, catalog: 'v1', sealedTokens: sealedTokensOf('acc_1'), ...CALLER },
    { ...world, providers, log: SILENT, hostEnds },
  );
  const breaker = createBreaker();
  const dependencies = { ledger, breaker, after: world.after, log: SILENT };
  const run = () => runPaidCall(dependencies, call, () => ({ remainingTimeMs: remainingMs }), storeResponse);
  return { call, run, outcomes, breaker };
}

const queueFault = (fault: object) =>
  fetch(`${upstream.controlUrl}/faults`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ fault }),
  });

async function allOf(chunks: StreamedResponse['body']): Promise<void> {
  for (let next = await chunks.next(); !next.done; next = await chunks.next());
}

type Run = ReturnType<typeof calling>['run'];

async function drain(run: Run) {
  const response = await run();
  if (!('body' in response)) throw new Error('not a stream');
  let outputs = 0;
  const route = response.headers['x-route'];
  try {
    for await (const _chunk of response.body) outputs += 1;
  } catch (failure) {
    return { outputs, failure, route };
  }
  return { outputs, failure: undefined, route };
}

async function routeOf(run: Run) {
  const response = await run();
  if ('body' in response) throw new Error('not a whole answer');
  return response.headers['x-route'];
}

describe('the deadline of the host', () => {
  it('ends a stream that hangs in time to bill its delivered output', async () => {
    await queueFault({ hang_after_chunks: 4 });
    // 15 s are kept back for settlement, so 3 s are left for the route, whose first chunks a busy machine brings late.
    const { run, outcomes } = calling(['chat'], { stream: true, remainingMs: 18_000 });
    const { outputs, failure } = await drain(run);
    expect(outputs).toBeGreaterThan(0);
    expect(failure).toMatchObject({ code: 'all_routes_failed' });
    expect(outcomes).toMatchObject([{ status: 'interrupted', estimated: true, route: 'route-0' }]);
    expect(outcomes[0]?.amount).toBeGreaterThan(0n);
  });
});

describe('a host that ends its calls', () => {
  it('ends a stream that hangs, and bills its delivered output', async () => {
    const ends = new AbortController();
    const { run, outcomes } = calling(['chat'], { stream: true, hostEnds: ends.signal });
    await queueFault({ hang_after_chunks: 3 });
    const { body } = (await run()) as StreamedResponse;
    await body.next();
    setTimeout(() => ends.abort(), 50);
    await expect(allOf(body)).rejects.toThrow('failed before its response was complete');
    expect(outcomes).toMatchObject([{ status: 'interrupted', estimated: true }]);
  });

  it('ends a complete response that hangs, at no cost', async () => {
    const ends = new AbortController();
    const { run, outcomes } = calling(['hang'], { hostEnds: ends.signal });
    setTimeout(() => ends.abort(), 50);
    await expect(run()).rejects.toMatchObject({ code: 'all_routes_failed' });
    expect(outcomes).toMatchObject([{ status: 'failed', amount: 0n }]);
  });
});

describe('a reader that leaves', () => {
  const leaving = async (cancels: boolean) => {
    const { run, outcomes, breaker } = calling(['claude-sim'], {
      stream: true,
      route: { protocol: 'anthropic', cancels },
    });
    await queueFault({ chunk_delay_ms: 20 });
    const { body, leave } = (await run()) as StreamedResponse;
    await body.next();
    const failed = jest.spyOn(breaker, 'broke');
    leave?.();
    await allOf(body);
    return { outcomes, failures: failed.mock.calls.length };
  };

  it('ends a stream that the route can cancel, which costs its prompt and the received output', async () => {
    const [leavingOutput, read] = await Promise.all([leaving(true), leaving(false)]);
    expect(leavingOutput.outcomes).toMatchObject([{ status: 'interrupted', estimated: true }]);
    expect(leavingOutput.outcomes[0]?.outputUnits).toBeLessThan(20);
    expect(leavingOutput.failures).toBe(0);
    expect(read.outcomes).toMatchObject([{ status: 'completed', estimated: false }]);
    expect(read.outcomes[0]?.outputUnits).toBeGreaterThan(20);
    expect(leavingOutput.outcomes[0]?.inputUnits).toBe(read.outcomes[0]?.inputUnits);
  });
});

describe('the headers of a response', () => {
  it('leave before its first event only if it is streamed', () => {
    expect(calling(['chat'], { stream: true }).call.events).toBe(chatEvents);
    expect(calling(['chat']).call.events).toBeUndefined();
  });

  it.each([
    [{ max_tokens: 50 }, {}, null],
    [{}, {}, '256'],
    [{}, { default_max_tokens: 4_000 }, '4000'],
    [{ max_tokens: 50 }, { max_output_tokens: 20, clamp_max_tokens: true }, '20'],
  ])(
    'state the output bound that the caller did not set or that the service reduced: %j %j',
    async (bound, limits, expected) => {
      const response = await calling(['chat'], { bound, limits }).run();
      const streamed = await calling(['chat'], { bound, limits, stream: true }).run();
      if ('body' in response || !('body' in streamed)) throw new Error('not as asked for');
      expect([response.headers['x-max-tokens'] ?? null, streamed.headers['x-max-tokens'] ?? null]).toEqual([
        expected,
        expected,
      ]);
      for await (const _chunk of streamed.body);
    },
  );
});

describe('failover', () => {
  it('continues after each type of route failure, streamed and not', async () => {
    const dead = ['fail-500', 'fail-429', 'fail-401', 'fail-404', 'garbage', 'cut-0'];
    expect(await drain(calling([...dead, 'chat'], { stream: true }).run)).toMatchObject({
      route: `route-${dead.length}`,
    });
    expect(await routeOf(calling([...dead, 'chat']).run)).toBe(`route-${dead.length}`);
  });
});

it('a call fails at no cost if its response cannot be stored for replay', async () => {
  const { run, outcomes } = calling(['chat'], {
    storeResponse: () => Promise.reject(new Error('the database is gone')),
  });
  await expect(run()).rejects.toThrow('the database is gone');
  expect(outcomes).toMatchObject([{ status: 'failed', amount: 0n }]);
});
