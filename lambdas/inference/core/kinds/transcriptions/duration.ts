/**
 * The bounds of a recording's length: the length that is held before a route has reported it, and the longest report
 * that is believed.
 */
import type { Length } from './lengths/windows.ts';

/** Speech is seldom stored with fewer bits a second, so a file is hardly longer than this gives. */
const LOW_BITS_PER_SECOND = 16_000;

/** No codec of the accepted formats goes lower (Opus, RFC 6716, section 2.1.1); a longer duration is a mistake. */
const MIN_BITS_PER_SECOND = 6_000;

/** 24-bit stereo at 96 kHz. A file cannot be shorter than its size at this rate, independent of its header. */
const MAX_BITS_PER_SECOND = 4_608_000;

/** Routes round up to complete audio frames or seconds. */
const ROUNDING_SECONDS = 1;

export interface Recording {
  readonly bytes: number;
  /** From the file's own header; undefined when that does not state one. */
  readonly length: Length | undefined;
}

const secondsAt = (bytes: number, bitsPerSecond: number) => (bytes * 8) / bitsPerSecond;

/**
 * A header may lie, and whoever wrote it pays by it: so of everything but plain samples it is believed only where it
 * makes the recording longer than its bytes would be at a low bit rate.
 */
function secondsOf({ bytes, length }: Recording, lowBitsPerSecond: number): number {
  const claimed = (length?.seconds ?? 0) + ROUNDING_SECONDS;
  return length?.exact ? claimed : Math.max(claimed, secondsAt(bytes, lowBitsPerSecond));
}

/** Seconds of a recording whose route does not report them. */
export const estimatedSeconds = (recording: Recording): number => secondsOf(recording, LOW_BITS_PER_SECOND);

/** Seconds that a call can come to at most, whatever a route returns, and that are held for. */
export const maxSeconds = (recording: Recording): number => secondsOf(recording, MIN_BITS_PER_SECOND);

/** Seconds by the service's own measure, for a route that returns none; never more than what is held for. */
export function ownSeconds(recording: Recording): number {
  const { bytes, length } = recording;
  if (length === undefined) return estimatedSeconds(recording);
  return length.exact ? length.seconds : Math.max(length.seconds, secondsAt(bytes, MAX_BITS_PER_SECOND));
}

/**
 * Returns the seconds to bill: the route's value, limited to the maximum duration of the file. No file has a duration
 * of zero, so 0 counts as missing. Without a value, the service's own measurement counts, which is an estimate.
 */
export function billedSeconds(
  recording: Recording,
  returned: number | undefined,
): { readonly seconds: number; readonly estimated: boolean } {
  if (returned === undefined || returned <= 0) return { seconds: ownSeconds(recording), estimated: true };
  return { seconds: Math.min(returned, maxSeconds(recording)), estimated: false };
}
