import { describe, expect, it } from '@jest/globals';
import { FakeTime } from '../../../tools/test-kit/fake-time.ts';
import type { Ledger } from '../../ledger/core/admission.ts';
import type { Call } from '../../ledger/core/call.ts';
import type { CallOutcome } from '../../ledger/core/usage-record.ts';
import { ServiceError } from '../../platform/core/errors.ts';
import type { Log, StreamedResponse } from '../../platform/core/ports.ts';
import { createRequestHandler } from '../../platform/http/request-handler.ts';
import { webHandler } from '../../platform/testing/web-response.ts';
import { candidateOf } from '../testing/catalog/models.ts';
import { createBreaker, SILENT } from '../testing/circuit/memory-circuits.ts';
import type { PaidCall } from './call.ts';
import { runPaidCall } from './paid-endpoint.ts';

const HEARTBEAT = ': alive\n\n';
const EVENTS = {
  heartbeat: HEARTBEAT,
  errorEvent: (envelope: object) => `data: ${JSON.stringify(envelope)}\n\n`,
};

interface Plan {
  /** The duration of the admission, in milliseconds. */
  readonly admitMs?: number;
  readonly rejection?: ServiceError;
  /** The time until the first content of the route, in milliseconds. */
  readonly responseMs?: number;
  readonly routeFails?: Error;
  /** The duration of a settlement or a release, in milliseconds. */
  readonly settleMs?: number;
  /** The usage record cannot be written. */
  readonly settleFails?: Error;
  /** The number of models that the call may run on. */
  readonly models?: number;
  /** The output that the ledger admits it with. */
  readonly granted?: number;
  /** The check that the process may serve. */
  readonly mayServe?: (time: FakeTime) => Promise<void> | undefined;
}

const OUTPUT = { min: 9, max: 900 };

/** One call of a stream, through the frame of paid endpoints and the request handler, while time stands still. */
function calling(plan: Plan) {
  const { admitMs = 0, rejection, responseMs = 0, routeFails, settleMs = 0, settleFails } = plan;
  const { models = 1, granted = OUTPUT.max } = plan;
  const candidates = Array.from({ length: models }, (_, index) =>
    candidateOf({ id: `a/${index}`, aliases: [`a/${index}-alias`] }),
  );
  const time = new FakeTime();
  const outcomes: CallOutcome[] = [];
  const admitted: unknown[] = [];
  const attempts: unknown[] = [];
  const ledger = {
    admit: async (request: unknown) => {
      admitted.push(request);
      await time.sleep(admitMs);
      if (rejection !== undefined) throw rejection;
      const settle = async (outcome: CallOutcome) => {
        if (settleMs > 0) await time.sleep(settleMs);
        if (settleFails !== undefined) throw settleFails;
        outcomes.push(outcome);
        return { record: { ...outcome, cost: outcome.amount }, balance: 0n };
      };
      return {
        output: granted,
        amount: 1n,
        headers: { 'x-ratelimit-limit-requests': '60' },
        settle,
      };
    },
  } as unknown as Ledger;
  const lines: Record<'level' | 'message' | 'fields' | 'measured', unknown>[] = [];
  const line =
    (level: string): Log['info'] =>
    (message, fields, measured) =>
      void lines.push({ level, message, fields, measured });
  const log: Log = { info: line('info'), warn: line('warn'), error: line('error') };
  const call: PaidCall<string> = {
    requestId: '',
    key: { accountId: 'acc_1', keyId: 'key_1', secretHash: '' },
    scope: { kind: 'chat', models: candidates.map(({ model }) => [model.id, ...model.aliases]) },
    identity: '',
    stream: true,
    events: EVENTS,
    candidates,
    headers: { 'x-ignored-fields': 'seed' },
    output: OUTPUT,
    tokens: (output) => output + 1,
    cost: (output) => BigInt(output),
    attempt: async (_candidate, _time, output) => {
      attempts.push(output);
      await time.sleep(responseMs);
      if (routeFails !== undefined) throw routeFails;
      return `data: answer within ${output}\n\n`;
    },
    prepare: async (response, { admission }) => {
      async function* chunks() {
        try {
          yield response;
        } finally {
          await admission.settle({ status: 'completed' } as CallOutcome);
        }
      }
      return async (): Promise<StreamedResponse> => ({
        headers: { 'x-route': 'route' },
        body: chunks(),
        events: EVENTS,
      });
    },
  };
  const breaker = createBreaker({ clock: time.clock, after: time.after });
  const mayServe = { prepare: () => undefined, check: () => plan.mayServe?.(time) };
  const dependencies = { ledger, breaker, after: time.after, log: SILENT, mayServe };
  const handler = createRequestHandler(
    (_request, { requestId }) =>
      runPaidCall(dependencies, { ...call, requestId }, () => ({ remainingTimeMs: 900_000 })),
    'openai',
    {
      clock: time.clock,
      after: time.after,
      ulid: () => '01ARZ3NDEKTSV4RRFFQ69G5FAV',
      log,
    },
  );
  const started = webHandler(handler)(new Request('https://localhost/'), {
    pathParameters: {},
    remainingTimeMs: () => 900_000,
  });
  return { time, started, outcomes, admitted, attempts, lines };
}

/** The same once its response has started. */
async function responding(plan: Plan) {
  const call = calling(plan);
  return { ...call, response: await call.time.until(call.started) };
}

const errors = (type: string) => ({
  values: { Errors: 1, RequestsFailed: 1 },
  dimensions: { error_type: type },
});

describe('the admission of a call that may fall back on other models', () => {
  it('covers every model that the call may run on, each with all its names', async () => {
    const { response, admitted } = await responding({ models: 2 });
    await response.text();
    const models = [
      ['a/0', 'a/0-alias'],
      ['a/1', 'a/1-alias'],
    ];
    expect(admitted).toMatchObject([{ scope: { kind: 'chat', models } }]);
  });
});

describe('a call whose output is a range', () => {
  it('requests admission with the range, then attempts and delivers the admitted output', async () => {
    for (const granted of [900, 90, 9]) {
      const { response, admitted } = await responding({ granted });
      expect(await response.text()).toBe(`data: answer within ${granted}\n\n`);
      const [request] = admitted as Call[];
      expect(request).toMatchObject({ output: OUTPUT });
      expect([request?.tokens(granted), request?.cost(granted)]).toEqual([granted + 1, BigInt(granted)]);
    }
  });
});

describe('a call that every route has failed', () => {
  it('releases its hold, and records no units, before its caller receives the error', async () => {
    const { time, started, outcomes } = calling({ routeFails: new Error('broken'), settleMs: 1_000 });
    let settledFirst: boolean | undefined;
    const startedAt = started.then((response) => {
      settledFirst = outcomes.length === 1;
      return response;
    });
    expect((await time.until(startedAt)).status).toBe(500);
    expect(settledFirst).toBe(true);
    const units = { inputUnits: 0, cachedUnits: 0, outputUnits: 0, tokens: 0, estimated: false };
    expect(outcomes).toMatchObject([{ status: 'failed', amount: 0n, route: null, model: 'a/0', ...units }]);
  });

  it('fails with the same error when its release fails too, which is left in the log', async () => {
    const { response } = await responding({
      routeFails: new ServiceError('all_routes_failed', 'No.'),
      settleFails: new Error('no database'),
    });
    expect(response.status).toBe(503);
    expect(response.headers.get('x-ratelimit-limit-requests')).toBe('60');
  });
});

describe('a call of a service that was closed while the call was read', () => {
  const closed = new ServiceError('maintenance', 'Closed.', { retryAfterSeconds: 30 });

  it('causes 503 without a hold if the process has a new view', async () => {
    const throws = () => {
      throw closed;
    };
    const { response, admitted, attempts } = await responding({ mayServe: throws });
    expect([response.status, response.headers.get('retry-after'), admitted, attempts]).toEqual([
      503,
      '30',
      [],
      [],
    ]);
  });

  it('reaches no route and leaves no hold if the process reads it concurrently with the admission', async () => {
    const reads = (time: FakeTime) =>
      time.sleep(20).then(() => {
        throw closed;
      });
    for (const admitMs of [0, 50]) {
      const { response, attempts, outcomes } = await responding({ admitMs, mayServe: reads });
      expect([response.status, attempts]).toEqual([503, []]);
      expect(outcomes).toMatchObject([{ status: 'failed', amount: 0n }]);
    }
  });

  it('receives the rejection of the ledger first, and the unused result of the read harms no other call', async () => {
    const rejection = new ServiceError('insufficient_credit', 'No.');
    const { response } = await responding({ rejection, mayServe: () => Promise.reject(closed) });
    expect(response.status).toBe(402);
  });

  it('waits for the slower of the admission and the read, not for one after the other', async () => {
    const call = calling({ admitMs: 20, mayServe: (time) => time.sleep(20) });
    const startedMs = call.time.clock();
    const response = await call.time.until(call.started);
    expect([response.status, call.time.clock() - startedMs]).toEqual([200, 20]);
    await response.text();
  });
});

describe('the status of a streamed call', () => {
  it.each([
    ['insufficient_credit', 402],
    ['tokens_per_minute', 429],
    ['key_quota', 429],
  ] as const)(
    'equals that of its rejection (%s), however long the ledger takes to reject it',
    async (code, status) => {
      const rejection = new ServiceError(code, 'No.');
      const { response, lines } = await responding({ admitMs: 30_000, rejection });
      expect(response.status).toBe(status);
      expect(await response.json()).toMatchObject({ error: { code } });
      expect(lines).toHaveLength(1);
    },
  );

  it('equals that of a failure within 5 s of its admission, also after a slow one', async () => {
    const failing = { admitMs: 20_000, responseMs: 4_900, routeFails: new Error('broken') };
    expect((await responding(failing)).response.status).toBe(500);
  });

  it('waits for its route to show x-route among the headers, 5 s at most', async () => {
    const { response } = await responding({ admitMs: 20_000, responseMs: 4_900 });
    expect([response.status, response.headers.get('x-route')]).toEqual([200, 'route']);
    expect(await response.text()).toBe('data: answer within 900\n\n');

    const { response: early } = await responding({ admitMs: 20_000, responseMs: 8_000 });
    expect([early.status, early.headers.get('x-route')]).toEqual([200, null]);
  });
});

describe('headers that leave before there is an event', () => {
  it('include the limits of the key and the ignored fields, and arrive with a heartbeat', async () => {
    const { time, response } = await responding({ responseMs: 8_000 });
    expect(response.headers.get('x-ignored-fields')).toBe('seed');
    expect(response.headers.get('x-ratelimit-limit-requests')).toBe('60');
    const reader = response.body?.getReader();
    // Without a moment's wait: the bytes are there with the headers.
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe(HEARTBEAT);
    const next = reader?.read();
    await time.advance(3_000);
    expect(new TextDecoder().decode((await next)?.value)).toBe('data: answer within 900\n\n');
  });

  it('precede the failure as an event, which is logged and counted like any other', async () => {
    const { time, response, lines, outcomes } = await responding({
      responseMs: 8_000,
      routeFails: new Error('broken'),
    });
    expect(response.status).toBe(200);
    const text = await time.until(response.text());
    expect(text).toContain('"code":"internal_error"');
    expect(lines.map(({ level }) => level)).toEqual(['error', 'info']);
    expect(lines.at(-1)).toMatchObject({ fields: { outcome: 'failed' }, measured: errors('api_error') });
    expect(outcomes).toMatchObject([{ status: 'failed', amount: 0n }]);
  });
});

describe('a stream whose settlement fails', () => {
  it('appears as an error of the service in the log and the metrics, with its location', async () => {
    const { time, response, lines } = await responding({
      settleFails: new Error('the usage record was not written'),
    });
    const text = await time.until(response.text());
    expect(text.startsWith('data: answer within 900\n\n')).toBe(true);
    expect(text).toContain('"code":"internal_error"');
    expect(lines.map(({ level, message }) => [level, message])).toEqual([
      ['error', 'internal error'],
      ['info', 'answered'],
    ]);
    expect(lines[0]?.fields).toMatchObject({
      name: 'Error',
      stack: expect.stringContaining('paid-endpoint.test'),
    });
    expect(lines[1]).toMatchObject({ fields: { outcome: 'failed' }, measured: errors('api_error') });
  });

  it('counts as an error of the service even if its reader has left', async () => {
    const { response, lines } = await responding({
      settleFails: new Error('the usage record was not written'),
    });
    const reader = response.body?.getReader();
    await reader?.read();
    await reader?.cancel();
    expect(lines.at(-1)).toMatchObject({ fields: { outcome: 'failed' }, measured: errors('api_error') });
  });
});
