/**
 * The division of the account's concurrent executions of Lambda. The functions that move money have a reserved share. A
 * throttle limits streams to the capacity of the others.
 */
import { QUEUES, type Queue } from '../../lambdas/platform/contract/queues.ts';
import type { Config } from './config.ts';
import type { FunctionName } from './grants.ts';

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

type Settings = Pick<Config, 'lambdaConcurrency' | 'requestsPerSecond'>;

/**
 * Lambda reserves this number for functions without a reserved share (Lambda developer guide, "Configuring reserved
 * concurrency").
 */
const MIN_UNRESERVED = 100;

/** Holds are swept on a schedule, one sweep at a time; the next one may start while one is late. */
const SWEEPS = 2;

/**
 * In hundredths of the account's, rounded up. A payment event takes about 100 ms and a sign-in 300 ms: of 1,000 they
 * have 100 and 66 per second. A reserved share is also the maximum.
 */
const HUNDREDTHS = { 'receive-payment-event': 1, 'create-session': 2 } as const;

/** The share of streams in the unreserved executions, in hundredths. The rest is for reads, keys and orders. */
const STREAMS_HUNDREDTHS = 80;

/** The duration of a usual call. A function is in use from its request to the end of its stream. */
const CALL_SECONDS = 10;

/**
 * Returns the functions with a reserved share, and its size; empty if the account cannot spare it, or the setting is
 * absent.
 */
export function reservedOf({ lambdaConcurrency }: Settings): ReadonlyMap<FunctionName, number> {
  if (lambdaConcurrency === undefined) return new Map();
  const reservations = new Map<FunctionName, number>([['sweep-holds', SWEEPS]]);
  for (const [name, share] of Object.entries(HUNDREDTHS))
    reservations.set(name as FunctionName, Math.ceil((lambdaConcurrency * share) / 100));
  return lambdaConcurrency - reservedIn(reservations) < MIN_UNRESERVED ? new Map() : reservations;
}

/** The share of the readers of queues in the account's executions, in hundredths; together they read at most 300 at once. */
const READERS_HUNDREDTHS = 30;

/** The executions that the readers of all queues have at most, as the contract of the queues states. */
const ALL_READERS = sum(Object.values<Queue>(QUEUES).map(({ reader }) => reader?.maxConcurrency ?? 0));

/** Lambda takes no less (API reference, `ScalingConfig`). */
const MIN_READERS = 2;

/**
 * Returns the invocations that Lambda may have at once for a queue. With fewer executions than the readers would use, each has
 * its part of their share: a throttled message counts as read, and five reads make it a dead letter.
 */
export function readersAtOnce(maxConcurrency: number, { lambdaConcurrency }: Settings): number {
  if (lambdaConcurrency === undefined) return maxConcurrency;
  const share = (lambdaConcurrency * READERS_HUNDREDTHS) / 100;
  return Math.max(MIN_READERS, Math.min(maxConcurrency, Math.floor((maxConcurrency * share) / ALL_READERS)));
}

/**
 * Returns the maximum calls per second of a streamed route. The limit fills its share of the unreserved executions with
 * calls of 10 s. It is at least 1, and never more than `requestsPerSecond`.
 */
export function streamsPerSecond(settings: Settings): number {
  const { lambdaConcurrency, requestsPerSecond } = settings;
  if (lambdaConcurrency === undefined) return requestsPerSecond;
  const shared = lambdaConcurrency - reservedIn(reservedOf(settings));
  const calls = Math.floor((shared * STREAMS_HUNDREDTHS) / 100 / CALL_SECONDS);
  return Math.min(requestsPerSecond, Math.max(1, calls));
}

const reservedIn = (reservations: ReadonlyMap<FunctionName, number>): number =>
  sum([...reservations.values()]);
