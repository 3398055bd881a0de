import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect } from '@jest/globals';
import { it } from '../search.ts';
import { drawsOf } from '../seed.ts';
import { rounds } from '../thorough.ts';
import { until } from '../waiting.ts';
import { Payer } from './payer.ts';
import { processesOf } from './processes.ts';
import { form, mp3 } from './recordings.ts';
import { Service } from './service.ts';

const KILLS = rounds(2);

const service = new Service({ HOLD_TTL_SECONDS: '6' });
let payer: Payer;

beforeAll(async () => {
  await service.start();
  payer = await Payer.open(service, '5');
}, 90_000);
afterAll(() => service.dispose());

const SECONDS = 2.4;
const COST = Math.ceil((SECONDS * 6_000_000) / 60);
const file = mp3(SECONDS);

const transcribe = (model = 'sim/stt') =>
  payer.post('/v1/audio/transcriptions', form(file, 'speech.mp3', { model }));

/** The process of the settling step. */
const STEP = ['function-program', 'POWERTOOLS_SERVICE_NAME=settle-transcription'] as const;

const kill = (program: string, variable?: string) => {
  const found = processesOf(service.session.pid, program, variable);
  for (const pid of found) process.kill(pid, 'SIGKILL');
  return found.length;
};

/** Everything that is left when nothing runs any more and what expired was swept. */
async function settled() {
  const swept = async () => {
    await service.admin('sweep');
    return service.admin('audit');
  };
  expect(await until(swept, ({ held }) => held === 0)).toMatchObject({ exact: true, drift: 0 });
  return payer.wallet();
}

it('a host that dies while the route works has answered nobody: the hold ends at no cost', async () => {
  await transcribe();
  const before = await payer.wallet();
  await payer.fault({ hang: true });
  const call = transcribe().then(
    ({ status }) => status,
    () => 0,
  );
  await until(
    () => payer.wallet(),
    ({ held }) => held > 0,
  );
  expect(kill('host.mjs')).toBe(1);
  expect(await call).not.toBe(200);
  // The host may have died before its route was called.
  await payer.endFaults();
  expect(await settled()).toEqual({ balance: before.balance, held: 0 });
}, 60_000);

it('a settling step that dies is taken up again, and the call is paid once', async () => {
  const before = await payer.wallet();
  let killed = 0;
  const stop = new AbortController();
  const killer = (async () => {
    while (!stop.signal.aborted && killed < 3) {
      killed += kill(...STEP);
      await pause(10);
    }
  })();
  const response = await transcribe();
  expect(response.status).toBe(200);
  stop.abort();
  await killer;
  expect(killed).toBeGreaterThan(0);
  expect(await settled()).toEqual({ balance: before.balance - COST, held: 0 });
  expect(await payer.record(response)).toMatchObject({ status: 'completed', input_units: SECONDS });
}, 60_000);

it('a host that dies while its execution runs leaves it to end, and the call is paid once', async () => {
  const before = await payer.wallet();
  // None is left of an earlier call: the next one to be seen belongs to the execution.
  kill(...STEP);
  let answered = false;
  const call = transcribe().then(
    ({ status }) => status,
    () => 0,
  );
  void call.finally(() => {
    answered = true;
  });
  // A dead step is taken up again within a second: long enough for the host to die before it has its answer.
  while (!answered && kill(...STEP) === 0) await pause(10);
  expect(kill('host.mjs')).toBe(1);
  expect(await call).not.toBe(200);
  await until(
    () => payer.wallet(),
    ({ held }) => held === 0,
  );
  expect(await settled()).toEqual({ balance: before.balance - COST, held: 0 });
}, 60_000);

it('an upstream that breaks off costs nothing, and neither does a dead one', async () => {
  const before = await payer.wallet();
  await payer.fault({ cut_after_bytes: 10 });
  expect((await transcribe()).status).toBe(503);
  await payer.fault({ reset: true });
  expect((await transcribe()).status).toBe(503);
  expect(await payer.wallet()).toEqual(before);
}, 30_000);

it('after kills of the whole service under load no hold is open and the books balance', async () => {
  const before = await payer.wallet();
  const answered: Response[] = [];
  const draw = drawsOf('kills');
  for (let round = 0; round < KILLS; round += 1) {
    answered.push(await transcribe());
    const end = new AbortController();
    const callers = Array.from({ length: 4 }, async () => {
      while (!end.signal.aborted) {
        try {
          const response = await transcribe();
          await response.arrayBuffer();
          if (response.ok) answered.push(response);
        } catch {
          return;
        }
      }
    });
    // Any moment is right.
    await pause(draw() * 600);
    await service.stop('SIGKILL');
    end.abort();
    await Promise.all(callers);
    await service.start();
  }
  const { balance } = await settled();
  const paid = (before.balance - balance) / COST;
  expect(Number.isInteger(paid)).toBe(true);
  expect(answered.every(({ ok }) => ok)).toBe(true);
  // A call that was settled may have died before its answer left; none is paid twice.
  expect(paid).toBeLessThanOrEqual(answered.length + 4 * KILLS);
}, 120_000);
