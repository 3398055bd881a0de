/** Hosts of the newest release and of the version after it, side by side on one database. */
import { afterAll, describe, expect, it as plain } from '@jest/globals';
import { HOST_HEALTH_PATH } from '../../lambdas/platform/contract/inference-host.ts';
import { LAYOUTS } from '../../lambdas/platform/contract/layouts.ts';
import { TABLES, type TableName } from '../../lambdas/platform/contract/tables.ts';
import {
  Programs,
  type ProgramVersion,
  releaseBeforeLaterKeys,
  releasedVersion,
} from '../../tools/bench/rolling/programs.ts';
import { playRollout } from '../../tools/bench/rolling/rollout.ts';
import { MixedStage } from '../../tools/bench/rolling/stage.ts';
import { it } from '../../tools/test-kit/search.ts';
import { drawsOf } from '../../tools/test-kit/seed.ts';
import { rounds } from '../../tools/test-kit/thorough.ts';

const programs = new Programs();
afterAll(() => programs.close());

const ROLLOUT = {
  programs,
  old: releasedVersion(),
  callsBetween: rounds(120),
  draw: drawsOf('rolling hosts'),
};

describe('64 callers of hosts that are replaced by those of the next version, and back', () => {
  it('lose no call to a drained host and only open ones to a killed host, and find exact ledgers', async () => {
    const result = await playRollout({
      ...ROLLOUT,
      next: 'tree',
      steps: ['drain', 'finish', 'kill'],
    });
    expect(result.failures).toEqual([]);
    expect(result.differences).toEqual({
      drift: 0n,
      held: 0n,
      overCaps: 0n,
      missingOfCaps: 0n,
      callsWithoutRecord: 0,
      recordsWithoutCall: 0,
      lostFields: 0,
    });
    // A rollout in which none of these happens proves nothing.
    const { drainedCalls, cut, replayedByOther, overCap } = result;
    expect(Math.min(drainedCalls, cut, replayedByOther, overCap)).toBeGreaterThan(0);
  });
});

/** Does the work on a stage with one account. */
async function onStage<T>(work: (stage: MixedStage, accountId: string) => Promise<T>): Promise<T> {
  const stage = await MixedStage.open(programs);
  try {
    return await work(stage, (await stage.openAccount()).accountId);
  } finally {
    await stage.close();
  }
}

describe('the later layout of keys', () => {
  const READS = { reads: 'account' } as const;

  plain(
    'is not written while the finish of the update is missing, and then by the next version alone',
    async () => {
      await onStage(async (stage, accountId) => {
        const create = async (version: ProgramVersion) => {
          const [response] = await stage.createKeys(version, accountId, [READS]);
          return response?.statusCode;
        };
        const created = async () => [
          await create(releaseBeforeLaterKeys()),
          await create('tree'),
          await stage.laterKeys(),
        ];
        expect(await created()).toEqual([409, 409, 0]);
        await stage.finish();
        expect(await created()).toEqual([409, 201, 1]);
      });
    },
  );

  it('shows a version that writes it too early', async () => {
    const { failures } = await playRollout({ ...ROLLOUT, next: 'early', steps: [] });
    expect(failures).toEqual([
      expect.stringMatching(/^create-key of early, finished false: .*"reads":"account"/),
    ]);
  });
});

describe('a host that does not read a layout of the stage', () => {
  plain('is not healthy, rejects every call with 503 and writes nothing', async () => {
    await onStage(async (stage) => {
      const { credential } = await stage.openAccount();
      await stage.record({ keys: LAYOUTS.keys.reads + 1 });
      const everything = async () => {
        const tables = Object.keys(TABLES) as TableName[];
        return Promise.all(tables.map((table) => stage.items(table)));
      };
      const before = await everything();
      const host = await stage.startHost(releasedVersion());
      try {
        const call = (method: 'GET' | 'POST', path: string, body?: object) =>
          fetch(host.url + path, {
            method,
            headers: { authorization: `Bearer ${credential}`, 'content-type': 'application/json' },
            ...(body && { body: JSON.stringify(body) }),
          });
        const messages = [{ role: 'user', content: 'Hi' }];
        const calls = await Promise.all([
          call('GET', '/v1/models'),
          call('GET', '/v1/usage'),
          call('POST', '/v1/chat/completions', { model: 'bench/openai-c20-d150', messages }),
          call('POST', '/v1/messages', { model: 'bench/anthropic-c20-d150', messages, max_tokens: 9 }),
        ]);
        const texts = await Promise.all(calls.map((response) => response.text()));
        expect(calls.map(({ status }) => status)).toEqual([503, 503, 503, 503]);
        expect(texts.filter((text) => !text.includes('older than the data of the service'))).toEqual([]);
        expect((await call('GET', HOST_HEALTH_PATH)).status).toBe(503);
        expect(await everything()).toEqual(before);
      } finally {
        await host.stop();
      }
    });
  });
});
