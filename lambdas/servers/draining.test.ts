import { afterEach, describe, expect, jest } from '@jest/globals';
import { it } from '../../tools/test-kit/search.ts';
import { drawsOf } from '../../tools/test-kit/seed.ts';
import { NodeHost } from '../platform/http/node-host.ts';
import { createLifeCycle } from './serve.ts';
import { type Simulation, simulate } from './testing/balanced-hosts.ts';

const OLD_ALGORITHM = 'least_outstanding_requests';

/** The behavior of earlier versions. */
const closeFirst: Simulation['onEvent'] = (host) => {
  host.host.server.close();
  host.fail();
};

async function run(options: Pick<Simulation, 'hosts' | 'onEvent'> & Partial<Simulation>) {
  const { calls, hosts } = await simulate({
    algorithm: 'weighted_random',
    random: drawsOf('draining'),
    durationMs: 60_000,
    ...options,
  });
  const hasFailed = ({ result }: (typeof calls)[number]) => result !== undefined && result !== 200;
  const failed = calls.filter(hasFailed);
  const lastFailureMs = Math.max(0, ...failed.map(({ startMs }) => startMs));
  const until = calls.filter(({ startMs }) => startMs >= 0 && startMs <= lastFailureMs);
  return {
    failedShare: failed.length / calls.length,
    results: new Set(failed.map(({ result }) => result)),
    lastFailureMs,
    /** The failed share of calls that began between the event and the last of them. */
    shareUntilLastFailure: until.filter(hasFailed).length / until.length,
    exitCodes: hosts.map(({ exitCode }) => exitCode),
  };
}

describe.each([2, 10])('one of %s balanced hosts', (hosts) => {
  const otherExitCodes = Array.from({ length: hosts - 1 });

  it('fails no call after an uncaught exception, and ends with 1 within two minutes', async () => {
    expect(await run({ hosts, onEvent: (host) => host.fail(), durationMs: 120_000 })).toMatchObject({
      failedShare: 0,
      exitCodes: [1, ...otherExitCodes],
    });
  });

  it('fails no call at SIGTERM, before which ECS takes it out of the balancer, and ends with 0', async () => {
    const onEvent: Simulation['onEvent'] = (host) => {
      host.isRegistered = false;
      host.terminate();
    };
    expect(await run({ hosts, onEvent })).toMatchObject({
      failedShare: 0,
      exitCodes: [0, ...otherExitCodes],
    });
  });

  it('fails no call after an exception in every host, because a balancer then sends calls to all', async () => {
    const onEvent: Simulation['onEvent'] = (host, others) => {
      for (const each of [host, ...others]) each.fail();
    };
    expect(await run({ hosts, onEvent })).toMatchObject({ failedShare: 0 });
  });

  it.each<[string, Simulation['onEvent'], number]>([
    ['is killed', (host) => host.kill(), 30_000],
    [
      'fails every call at once while it is healthy',
      (host) => {
        host.failsFast = true;
      },
      60_000,
    ],
  ])('fails no more than its share of calls if it %s', async (_event, onEvent, maxMs) => {
    const { shareUntilLastFailure, lastFailureMs } = await run({ hosts, onEvent });
    expect(shareUntilLastFailure).toBeLessThan(1 / hosts + 0.1);
    expect(lastFailureMs).toBeLessThan(maxMs);
    // With the earlier algorithm of the balancer it fails most calls of all hosts.
    const earlier = await run({ hosts, onEvent, algorithm: OLD_ALGORITHM });
    expect(earlier.shareUntilLastFailure).toBeGreaterThan(0.7);
  });

  it.each<Simulation['algorithm']>(['weighted_random', OLD_ALGORITHM])(
    'fails more than 1 %% of the calls if it closes at an exception, with %s',
    async (algorithm) => {
      const { failedShare, results } = await run({ hosts, onEvent: closeFirst, algorithm });
      expect(failedShare).toBeGreaterThan(0.01);
      expect(results).toEqual(new Set(['refused']));
    },
  );
});

describe('a host that fails in a loop', () => {
  afterEach(() => {
    jest.useRealTimers();
  });

  it('exits at the first exception after the time of all calls, without waiting for a timer', () => {
    jest.useFakeTimers();
    let nowMs = 0;
    const resolve = () => {
      throw new Error('nothing is asked of it');
    };
    const host = new NodeHost({ resolve, clock: () => nowMs, callMs: 1, maxCalls: 1 });
    host.isReady = true;
    const exitCodes: number[] = [];
    const exit = (code: number) => exitCodes.push(code);
    const { fail } = createLifeCycle(host, { graceMs: 100_000, endCalls: () => {}, exit });
    fail();
    nowMs = 115_000;
    fail();
    expect(exitCodes).toEqual([]);
    nowMs += 1;
    fail();
    expect(exitCodes).toEqual([1]);
  });
});
