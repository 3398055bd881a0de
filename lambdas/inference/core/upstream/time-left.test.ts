import { describe, expect, it } from '@jest/globals';
import { FakeTime } from '../../../../tools/test-kit/fake-time.ts';
import { formatKey } from '../../../access/core/keys/api-key.ts';
import type { KeyGate } from '../../../access/core/keys/key-gate.ts';
import type { Ledger } from '../../../ledger/core/admission.ts';
import { NO_OUTPUT } from '../../../ledger/core/call.ts';
import { candidatesOf } from '../../testing/circuit/fleet.ts';
import { createBreaker, SILENT } from '../../testing/circuit/memory-circuits.ts';
import type { PaidCall } from '../call.ts';
import type { Idempotency } from '../idempotency/idempotency.ts';
import { createPaidEndpoint } from '../paid-endpoint.ts';
import type { TimeLeft } from './route-clock.ts';

const PEPPERS = { current: 'pepper' };
const ULID = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
const CREDENTIAL = formatKey(
  { accountId: `acc_${ULID}`, keyId: `key_${ULID}`, secret: '0'.repeat(40) },
  PEPPERS,
);
const EVENTS = { heartbeat: ': alive\n\n', errorEvent: () => '' };

/** The durations of the steps of the call, in milliseconds. */
interface Steps {
  readonly readMs?: number;
  readonly waitMs?: number;
  readonly admitMs?: number;
}

/** The time that the route of one call gets, on a host that has 900 s. */
async function timeOf(
  steps: Steps,
  silenceMs: number | undefined,
  events?: PaidCall<string>['events'],
): Promise<TimeLeft | undefined> {
  const { readMs = 0, waitMs = 0, admitMs = 0 } = steps;
  const time = new FakeTime();
  const startMs = time.clock();
  let timeLeft: TimeLeft | undefined;
  const call: PaidCall<string> = {
    requestId: 'req_1',
    key: { accountId: 'acc_1', keyId: 'key_1', secretHash: '' },
    scope: { kind: 'chat', models: [] },
    identity: '',
    stream: false,
    events,
    candidates: candidatesOf('a'),
    output: NO_OUTPUT,
    tokens: () => 1,
    cost: () => 1n,
    attempt: async (_candidate, remainingTime) => {
      timeLeft = remainingTime;
      return 'answer';
    },
    prepare: async () => async () => ({ headers: {}, text: 'answer' }),
  };
  const endpoint = createPaidEndpoint(
    {
      kind: 'chat',
      read: async () => {
        await time.sleep(readMs);
        return call;
      },
    },
    {
      peppers: async () => PEPPERS,
      gate: {
        checked: (_key: unknown, check: () => Promise<unknown>) => check(),
      } as unknown as KeyGate,
      keyCheck: { checkKind: async () => true },
      catalog: () => Promise.reject(new Error('not read')),
      idempotency: {
        guard: async (_received: unknown, _call: unknown, run: () => Promise<unknown>) => {
          await time.sleep(waitMs);
          return run();
        },
      } as unknown as Idempotency,
      ledger: {
        admit: async () => {
          await time.sleep(admitMs);
          return { offer: 0, headers: {}, settle: async () => ({}) };
        },
      } as unknown as Ledger,
      breaker: createBreaker({ clock: time.clock, after: time.after }),
      clock: time.clock,
      after: time.after,
      log: SILENT,
    },
  );
  const headers = { authorization: `Bearer ${CREDENTIAL}` };
  await time.until(
    endpoint(new Request('https://service.test/', { headers }), {
      requestId: 'req_1',
      remainingTimeMs: () => startMs + 900_000 - time.clock(),
      silenceMs,
      pathParameters: {},
      log: SILENT,
    }),
  );
  return timeLeft;
}

describe('a call on a host before which something ends silent calls', () => {
  it('receives the limit of silence minus the time for settling', async () => {
    expect(await timeOf({}, 300_000)).toEqual({ remainingTimeMs: 885_000, silentTimeMs: 285_000 });
  });

  it('counts silence from the end of its request, because its caller was sending until then', async () => {
    expect(await timeOf({ readMs: 100_000 }, 120_000)).toEqual({
      remainingTimeMs: 785_000,
      silentTimeMs: 105_000,
    });
  });

  it('counts as silent while it waits for another call of its idempotency key, and for its admission', async () => {
    expect(await timeOf({ waitMs: 20_000, admitMs: 3_000 }, 120_000)).toEqual({
      remainingTimeMs: 862_000,
      silentTimeMs: 82_000,
    });
  });

  it('counts no silence if it responds with events, which include heartbeats', async () => {
    expect(await timeOf({}, 300_000, EVENTS)).toEqual({ remainingTimeMs: 885_000 });
  });
});

describe('a call on a host before which nothing does', () => {
  it('receives all of the host’s time', async () => {
    expect(await timeOf({}, undefined)).toEqual({ remainingTimeMs: 885_000 });
  });
});
