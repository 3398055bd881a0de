/** Calls at random times at a given rate, each through a separate process, and what their callers observe. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchAccount } from '../../harness/service/account.ts';
import { callOf, HELD_AMOUNT, OUTCOME } from '../call.ts';
import type { Processes } from './processes.ts';

/** A time with a constant rate of calls, or one that changes evenly. */
export interface Phase {
  readonly seconds: number;
  readonly callsASecond: number | readonly [from: number, to: number];
}

/** The rate after that time in the phase. */
function rateAt({ seconds, callsASecond }: Phase, ms: number): number {
  if (typeof callsASecond === 'number') return callsASecond;
  const [from, to] = callsASecond;
  return from + ((to - from) * ms) / (seconds * 1000);
}

export interface CallsOptions {
  readonly account: BenchAccount;
  readonly phases: readonly Phase[];
  /** Seconds that the upstream takes, drawn evenly. */
  readonly callSeconds: readonly [min: number, max: number];
  readonly processes: Processes;
}

export interface CallCounts {
  calls: number;
  maxOpen: number;
  /** Failures by the name of the error that a caller got. */
  readonly failures: Map<string, number>;
  /** Settled calls whose response could not report the balance. */
  withoutBalance: number;
  /** The admission time of each call, before the upstream. */
  readonly admitMs: number[];
}

/** Makes the calls and returns when the last one has settled. */
export async function makeCalls(options: CallsOptions): Promise<CallCounts> {
  const { phases } = options;
  const counts: CallCounts = {
    calls: 0,
    maxOpen: 0,
    failures: new Map(),
    withoutBalance: 0,
    admitMs: [],
  };
  const open = new Set<Promise<void>>();
  for (const phase of phases) {
    const startMs = Date.now();
    const endMs = startMs + phase.seconds * 1000;
    // Exponential gaps: the calls know nothing of each other.
    let nextMs = startMs;
    for (;;) {
      nextMs += (-Math.log(1 - Math.random()) * 1000) / rateAt(phase, nextMs - startMs);
      if (nextMs > endMs) break;
      if (nextMs > Date.now()) await sleep(nextMs - Date.now());
      const call: Promise<void> = makeCall(options, counts).finally(() => open.delete(call));
      open.add(call);
      counts.maxOpen = Math.max(counts.maxOpen, open.size);
    }
    if (endMs > Date.now()) await sleep(endMs - Date.now());
  }
  await Promise.all(open);
  return counts;
}

async function makeCall(options: CallsOptions, counts: CallCounts): Promise<void> {
  const { account, callSeconds, processes } = options;
  const [minSeconds, maxSeconds] = callSeconds;
  counts.calls += 1;
  const process = processes.take();
  try {
    const startedMs = Date.now();
    const admission = await process.admit(callOf(account));
    counts.admitMs.push(Date.now() - startedMs);
    await sleep((minSeconds + Math.random() * (maxSeconds - minSeconds)) * 1000);
    const cost = BigInt(Math.floor(Math.random() * Number(HELD_AMOUNT)));
    const { balance } = await admission.settle({ ...OUTCOME, cost });
    if (balance === undefined) counts.withoutBalance += 1;
  } catch (failure) {
    const { name = '', code = '' } = Object(failure) as { readonly name?: string; readonly code?: string };
    const kind = code === '' ? name : code;
    counts.failures.set(kind, (counts.failures.get(kind) ?? 0) + 1);
  } finally {
    processes.giveBack(process);
  }
}
