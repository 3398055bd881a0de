import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it as plain } from '@jest/globals';
import { parseUsd } from '../../lambdas/platform/core/money.ts';
import { shiftedClock } from '../../tools/test-kit/clock-shift.ts';
import { onLinux } from '../../tools/test-kit/on-linux.ts';
import { form, mp3 } from '../../tools/test-kit/recordings.ts';
import { it } from '../../tools/test-kit/search.ts';
import { drawsOf } from '../../tools/test-kit/seed.ts';
import { rounds } from '../../tools/test-kit/thorough.ts';
import { until } from '../../tools/test-kit/waiting.ts';
import { oneService } from './one-service.ts';
import { Payer } from './payer.ts';
import { processesOf } from './processes.ts';

const KILLS = rounds(2);

/** Calls kept running while the service lives: of conversations, and transcriptions. */
const CALLERS = 8;
const TRANSCRIBERS = 4;

/** Holds expire soon, so that each kill can be recovered from, but not before a step that died is taken up again. */
const service = oneService({ HOLD_TTL_SECONDS: '6' });
const payer = Payer.ofTests(service, '5');

const SECONDS = 2.4;
const COST = Math.ceil((SECONDS * 6_000_000) / 60);
const file = mp3(SECONDS);

const transcribe = () =>
  payer.post('/v1/audio/transcriptions', form(file, 'speech.mp3', { model: 'sim/stt' }));

/** The process of the settling step. */
const STEP = ['function-program', 'POWERTOOLS_SERVICE_NAME=settle-transcription'] as const;

const kill = (program: string, variable?: string) => {
  const processes = processesOf(service.session.pid, program, variable);
  for (const pid of processes) process.kill(pid, 'SIGKILL');
  return processes.length;
};

/** Waits until nothing is open, with a sweep now and then of what has expired. */
async function sweepAll(): Promise<void> {
  const swept = async () => {
    await service.admin('sweep');
    const { held } = await service.admin<{ held: number }>('audit');
    if (held > 0) await pause(250);
    return held;
  };
  await until(swept, (held) => held === 0);
  expect(await service.admin('audit')).toMatchObject({ exact: true, drift: 0, held: 0 });
}

/** Everything that is left when nothing runs any more and what expired was swept. */
async function settled() {
  await sweepAll();
  return payer.wallet();
}

onLinux(
  'a host that dies while the route works has answered nobody: the hold ends at no cost',
  async () => {
    await transcribe();
    const before = await payer.wallet();
    await service.fault({ hang: true });
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
    await service.endFaults();
    expect(await settled()).toEqual({ balance: before.balance, held: 0 });
  },
  60_000,
);

onLinux(
  'a settling step that dies is taken up again, and the call is paid once',
  async () => {
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
  },
  60_000,
);

onLinux(
  'a host that dies while its execution runs leaves it to end, and the call is paid once',
  async () => {
    const before = await payer.wallet();
    // A killed process is seen until it has ended. None is left of an earlier call: the next one belongs to the execution.
    while (kill(...STEP) > 0) await pause(10);
    let isAnswered = false;
    const call = transcribe().then(
      ({ status }) => status,
      () => 0,
    );
    void call.finally(() => {
      isAnswered = true;
    });
    // A dead step is taken up again within a second: long enough for the host to die before it has its answer.
    while (!isAnswered && kill(...STEP) === 0) await pause(10);
    expect(kill('host.mjs')).toBe(1);
    expect(await call).not.toBe(200);
    await until(
      () => payer.wallet(),
      ({ held }) => held === 0,
    );
    expect(await settled()).toEqual({ balance: before.balance - COST, held: 0 });
  },
  60_000,
);

plain(
  'a kill of everything during a stream leaves a hold that expires',
  async () => {
    const { id, key } = await service.account('1');
    const aborted = new AbortController();
    const send = (stream: boolean) => {
      const messages = [{ role: 'user', content: 'write 2000 words' }];
      return service.chat(
        { model: 'sim/chat', stream, max_tokens: 3_000, messages },
        { key, signal: aborted.signal },
      );
    };
    const reader = (await send(true)).body?.getReader();
    await reader?.read();
    await service.stop('SIGKILL');
    aborted.abort();
    await reader?.closed.catch(() => {});
    await service.start();
    const wallet = () => service.admin<{ held: number; balance: number }>('wallet', 'show', '--account', id);
    const { held, balance } = await wallet();
    expect(held).toBeGreaterThan(0);
    expect((parseUsd(held) ?? 0n) + (parseUsd(balance) ?? 0n)).toBe(parseUsd(1));
    expect(await service.admin('audit')).toMatchObject({ exact: true });
    await sweepAll();
    expect(await wallet()).toMatchObject({ balance: 1, held: 0, holds: [] });
    // What the call took from the day is missing until its key is at rest, and the next call is served.
    const response = await service.fetch(`/credits/${key}`, { key });
    expect(await response.json()).toMatchObject({ spend: { today: held } });
    const messages = [{ role: 'user', content: 'Hi' }];
    expect((await service.chat({ model: 'sim/chat', messages }, { key })).status).toBe(200);
  },
  60_000,
);

it(`after ${KILLS} kills at random moments under load no hold is open and the books balance to the nano-dollar`, async () => {
  const { key } = await service.account('3');
  const before = await payer.wallet();
  let completedCalls = 0;
  let cut = 0;
  let transcripts = 0;

  /** Calls, streamed and not, with and without a key to repeat them by. */
  async function chat(caller: number, turn: number): Promise<boolean> {
    const request = {
      model: turn % 3 === 0 ? 'sim/chat-large' : 'sim/chat',
      stream: turn % 2 === 0,
      max_tokens: 20,
      messages: [{ role: 'user', content: `write ${20 + caller} words` }],
    };
    const headers: Record<string, string> =
      turn % 4 === 0 ? { 'idempotency-key': `${caller}-${turn}-${randomUUID()}` } : {};
    const response = await service.chat(request, { key, headers });
    const text = await response.text();
    return response.ok && !text.includes('"error"');
  }

  async function transcript(): Promise<boolean> {
    const response = await transcribe();
    await response.arrayBuffer();
    if (response.ok) transcripts += 1;
    return response.ok;
  }

  /** Calls until the service is gone. */
  async function callOn(call: (turn: number) => Promise<boolean>, end: AbortSignal): Promise<void> {
    for (let turn = 0; !end.aborted; turn += 1) {
      try {
        if (await call(turn)) completedCalls += 1;
        else cut += 1;
      } catch {
        cut += 1;
        return;
      }
    }
  }

  const draw = drawsOf('kills');
  for (let round = 0; round < KILLS; round += 1) {
    const end = new AbortController();
    const callers = [
      ...Array.from({ length: CALLERS }, (_, caller) => callOn((turn) => chat(caller, turn), end.signal)),
      ...Array.from({ length: TRANSCRIBERS }, () => callOn(transcript, end.signal)),
    ];
    // A service that has just begun serves its first calls late on a busy machine.
    const [completedBefore, transcriptsBefore] = [completedCalls, transcripts];
    await until(
      () => completedCalls > completedBefore && transcripts > transcriptsBefore,
      (hasStarted) => hasStarted,
    );
    // Any moment is right.
    await pause(draw() * 1_000);
    await service.stop('SIGKILL');
    end.abort();
    await Promise.all(callers);
    await service.start();
    expect(await service.admin('audit')).toMatchObject({ exact: true, drift: 0 });
  }
  const { balance } = await settled();
  expect(cut).toBeGreaterThan(0);
  const paid = (before.balance - balance) / COST;
  expect(Number.isInteger(paid)).toBe(true);
  // A call that was settled may have died before its answer left; none is paid twice.
  expect(paid).toBeLessThanOrEqual(transcripts + TRANSCRIBERS * KILLS);
});

onLinux(
  'the key of a call whose process died is claimed for less than a minute, and then costs one call',
  async () => {
    const { id, key } = await service.account('1');
    const send = (signal?: AbortSignal) => {
      const messages = [{ role: 'user', content: 'Hi' }];
      const headers = { 'idempotency-key': 'died' };
      return service.chat({ model: 'sim/chat', messages }, { key, headers, ...(signal && { signal }) });
    };
    const received = async () => (await service.received()).length;
    const before = await received();
    await service.fault({ hang: true });
    const first = send().then(
      ({ status }) => status,
      () => 0,
    );
    await until(received, (requests) => requests > before);
    const killed = service.isHost
      ? kill('host.mjs')
      : kill('function-program', 'POWERTOOLS_SERVICE_NAME=create-chat-completion');
    expect(killed).toBeGreaterThan(0);
    expect(await first).not.toBe(200);
    await service.endFaults();
    // Until the claim ends, a duplicate waits. The gateway may send it to another process that was killed, and sees that then.
    const duplicate = () => send(AbortSignal.timeout(2_000)).then(({ status }) => String(status), String);
    expect(await until(duplicate, (outcome) => !outcome.includes('502'))).toContain('timeout');
    await service.stop('SIGKILL');
    await service.start(shiftedClock(60_000));
    const response = await send();
    expect([response.status, response.headers.get('idempotent-replayed')]).toEqual([200, null]);
    const cost = Number(response.headers.get('x-cost-usd'));
    expect(cost).toBeGreaterThan(0);
    expect((await send()).headers.get('idempotent-replayed')).toBe('true');
    await sweepAll();
    expect((await service.wallet(id)).balance).toBeCloseTo(1 - cost, 9);
  },
  90_000,
);
