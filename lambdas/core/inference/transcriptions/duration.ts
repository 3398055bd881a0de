/** How long a recording may be: what is held before a route has said so, and what is believed when one says it. */

/** Speech is seldom stored with fewer bits a second, so a file of unknown length is hardly longer than this gives. */
const LOW_BITS_PER_SECOND = 16_000;

/** No codec of the accepted formats goes lower (Opus, RFC 6716, section 2.1.1); a longer duration is a mistake. */
const LEAST_BITS_PER_SECOND = 6_000;

/** 24-bit stereo at 96 kHz: a file is not shorter than this gives, whatever its header says. */
const MOST_BITS_PER_SECOND = 4_608_000;

export interface Recording {
  readonly bytes: number;
  /** Seconds by the file's own header. */
  readonly measured: number | undefined;
}

const secondsAt = (bytes: number, bitsPerSecond: number) => (bytes * 8) / bitsPerSecond;

/** Seconds to hold for. */
export function estimatedSeconds({ bytes, measured }: Recording): number {
  if (measured === undefined) return secondsAt(bytes, LOW_BITS_PER_SECOND);
  return Math.max(measured, secondsAt(bytes, MOST_BITS_PER_SECOND));
}

/** Seconds to pay for; without a believable figure from the route, the file's own, and that is an estimate. */
export function billedSeconds(
  recording: Recording,
  returned: number | undefined,
): { readonly seconds: number; readonly estimated: boolean } {
  const most = Math.max(secondsAt(recording.bytes, LEAST_BITS_PER_SECOND), recording.measured ?? 0);
  if (returned !== undefined && returned <= most) return { seconds: returned, estimated: false };
  return { seconds: recording.measured ?? estimatedSeconds(recording), estimated: true };
}
