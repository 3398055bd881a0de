/**
 * The bounds of a recording's length: the length that is held before a route has reported it, and the longest report
 * that is believed.
 */
import type { Length } from './lengths/windows.ts';

/** Speech is seldom stored with fewer bits a second, so a file is hardly longer than this gives. */
const LOW_BITS_PER_SECOND = 16_000;

/** No codec of the accepted formats goes lower (Opus, RFC 6716, section 2.1.1); a longer duration is a mistake. */
const LEAST_BITS_PER_SECOND = 6_000;

/** 24-bit stereo at 96 kHz: a file is not shorter than this gives, whatever its header says. */
const MOST_BITS_PER_SECOND = 4_608_000;

/** Routes count whole frames of sound, or whole seconds, upwards. */
const ROUNDING_SECONDS = 1;

export interface Recording {
  readonly bytes: number;
  /** From the file's own header; undefined when that does not state one. */
  readonly length: Length | undefined;
}

const secondsAt = (bytes: number, bitsPerSecond: number) => (bytes * 8) / bitsPerSecond;

/**
 * Seconds to hold for. A header may lie, and whoever wrote it pays by it: so of everything but plain samples it is
 * believed only where it makes the recording longer than its bytes would be at a low bit rate.
 */
export function estimatedSeconds({ bytes, length }: Recording): number {
  const claimed = (length?.seconds ?? 0) + ROUNDING_SECONDS;
  return length?.exact ? claimed : Math.max(claimed, secondsAt(bytes, LOW_BITS_PER_SECOND));
}

/** Seconds that a call can come to at most, whatever a route returns; never less than what is held for. */
export function mostSeconds({ bytes, length }: Recording): number {
  const claimed = (length?.seconds ?? 0) + ROUNDING_SECONDS;
  return length?.exact ? claimed : Math.max(claimed, secondsAt(bytes, LEAST_BITS_PER_SECOND));
}

/** Seconds by the service's own measure, for a route that returns none; never more than what is held for. */
function ownSeconds(recording: Recording): number {
  const { bytes, length } = recording;
  if (length === undefined) return estimatedSeconds(recording);
  return length.exact ? length.seconds : Math.max(length.seconds, secondsAt(bytes, MOST_BITS_PER_SECOND));
}

/**
 * Seconds to pay for: what the route returned, at most what the file can last. No file lasts no time, so a 0 is no
 * figure; without one the service's own measure counts, and that is an estimate.
 */
export function billedSeconds(
  recording: Recording,
  returned: number | undefined,
): { readonly seconds: number; readonly estimated: boolean } {
  if (returned === undefined || returned <= 0) return { seconds: ownSeconds(recording), estimated: true };
  return { seconds: Math.min(returned, mostSeconds(recording)), estimated: false };
}
