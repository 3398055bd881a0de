/**
 * The division of the account's concurrent executions of Lambda. The functions that move money have a reserved share. A
 * throttle limits streams to the capacity of the others.
 */
import type { Config } from './config.ts';
import type { FunctionName } from './grants.ts';

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
  return lambdaConcurrency - sum(reservations) < MIN_UNRESERVED ? new Map() : reservations;
}

/**
 * Returns the maximum calls per second of a streamed route. The limit fills its share of the unreserved executions with
 * calls of 10 s. It is at least 1, and never more than `requestsPerSecond`.
 */
export function streamsPerSecond(settings: Settings): number {
  const { lambdaConcurrency, requestsPerSecond } = settings;
  if (lambdaConcurrency === undefined) return requestsPerSecond;
  const shared = lambdaConcurrency - sum(reservedOf(settings));
  const calls = Math.floor((shared * STREAMS_HUNDREDTHS) / 100 / CALL_SECONDS);
  return Math.min(requestsPerSecond, Math.max(1, calls));
}

const sum = (reservations: ReadonlyMap<FunctionName, number>): number =>
  [...reservations.values()].reduce((total, reservation) => total + reservation, 0);
