import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { rounds } from '../thorough.ts';
import { until } from '../until.ts';
import { Service } from './service.ts';

/** Holds expire at once, as a person sees it, so that each kill can be recovered from. */
const service = new Service({ HOLD_TTL_SECONDS: '2' });

const KILLS = rounds(2);

/** Calls kept running while the service lives. */
const CALLERS = 8;

beforeAll(() => service.start(), 90_000);
afterAll(() => service.dispose());

describe('the service', () => {
  it(`leaves no hold open and exact books after ${KILLS} kills at random moments under load`, async () => {
    const { id, key } = await service.account('3');
    let served = 0;
    let cut = 0;

    /** Calls, streamed and not, with and without a key to repeat them by, until the service is gone. */
    async function call(caller: number, until: AbortSignal): Promise<void> {
      for (let turn = 0; !until.aborted; turn += 1) {
        const request = {
          model: turn % 3 === 0 ? 'sim/chat-large' : 'sim/chat',
          stream: turn % 2 === 0,
          max_tokens: 20,
          messages: [{ role: 'user', content: `write ${20 + caller} words` }],
        };
        const headers: Record<string, string> =
          turn % 4 === 0 ? { 'idempotency-key': `${caller}-${turn}-${Math.random()}` } : {};
        try {
          const response = await service.chat(request, { key, headers });
          const text = await response.text();
          if (response.ok && !text.includes('"error"')) served += 1;
          else cut += 1;
        } catch {
          cut += 1;
          return;
        }
      }
    }

    for (let kill = 0; kill < KILLS; kill += 1) {
      const end = new AbortController();
      const callers = Array.from({ length: CALLERS }, (_, caller) => call(caller, end.signal));
      // A service that has just begun serves its first calls late on a busy machine.
      const before = served;
      await until(
        () => served,
        (now) => now > before,
      );
      // Any moment is right.
      await pause(Math.random() * 1_000);
      await service.stop('SIGKILL');
      end.abort();
      await Promise.all(callers);
      await service.start();
      expect(await service.admin('audit')).toMatchObject({ exact: true, drift: 0 });
    }
    const swept = async () => {
      await service.admin('sweep');
      return service.admin('wallet', 'show', '--account', id);
    };
    expect(await until(swept, ({ held }) => held === 0)).toMatchObject({ holds: [] });
    expect(await service.admin('audit')).toMatchObject({ exact: true, drift: 0, held: 0 });
    expect(cut).toBeGreaterThan(0);
  }, 180_000);
});
