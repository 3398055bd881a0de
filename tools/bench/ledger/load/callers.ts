/** Calls that come by chance at a given rate, each through a process of its own, and what their callers see. */
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
  readonly accounts: readonly BenchAccount[];
  readonly phases: readonly Phase[];
  /** The least and the most that the upstream takes, s; it is drawn evenly. */
  readonly callSeconds: readonly [least: number, most: number];
  readonly processes: Processes;
  readonly clock: () => number;
  readonly random: () => number;
  readonly sleep: (ms: number) => Promise<unknown>;
}

export interface CallCounts {
  calls: number;
  maxOpen: number;
  /** By the name of what was thrown to a caller. */
  readonly failures: Map<string, number>;
  /** Settled, with an answer that could not show the balance. */
  withoutBalance: number;
  /** The database rounds of each call, before the upstream. */
  readonly rounds: number[];
  /** The admission time of each call, before the upstream. */
  readonly admitMs: number[];
}

/** Makes the calls and returns when the last one has settled. */
export async function makeCalls(options: CallsOptions): Promise<CallCounts> {
  const { phases, clock, random, sleep } = options;
  const counts: CallCounts = {
    calls: 0,
    maxOpen: 0,
    failures: new Map(),
    withoutBalance: 0,
    rounds: [],
    admitMs: [],
  };
  const open = new Set<Promise<void>>();
  for (const phase of phases) {
    const startMs = clock();
    const endMs = startMs + phase.seconds * 1000;
    // Exponential gaps: the calls know nothing of each other.
    let nextMs = startMs;
    for (;;) {
      nextMs += (-Math.log(1 - random()) * 1000) / rateAt(phase, nextMs - startMs);
      if (nextMs > endMs) break;
      if (nextMs > clock()) await sleep(nextMs - clock());
      const call: Promise<void> = makeCall(options, counts).finally(() => open.delete(call));
      open.add(call);
      counts.maxOpen = Math.max(counts.maxOpen, open.size);
    }
    if (endMs > clock()) await sleep(endMs - clock());
  }
  await Promise.all(open);
  return counts;
}

async function makeCall(options: CallsOptions, counts: CallCounts): Promise<void> {
  const { accounts, callSeconds, processes, clock, random, sleep } = options;
  const account = accounts[Math.floor(random() * accounts.length)];
  if (account === undefined) throw new Error('there is no account to call for');
  const [minSeconds, maxSeconds] = callSeconds;
  counts.calls += 1;
  const process = processes.take();
  try {
    process.takeRounds();
    const startedMs = clock();
    const admission = await process.ledger.admit(callOf(account));
    counts.rounds.push(process.takeRounds());
    counts.admitMs.push(clock() - startedMs);
    await sleep((minSeconds + random() * (maxSeconds - minSeconds)) * 1000);
    const cost = BigInt(Math.floor(random() * Number(HELD_AMOUNT)));
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
