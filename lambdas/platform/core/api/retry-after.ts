/** The header `Retry-After`: seconds or a date (RFC 9110, section 10.2.3). */

const SECOND_MS = 1_000;

/** A date in any of the formats that a recipient must accept starts with the day's name (RFC 9110, section 5.6.7). */
const DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /;

/** Milliseconds from now, 0 for a date that is past; undefined for what is neither. */
export function parseRetryAfter(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header) * SECOND_MS;
  const dateMs = parseHttpDate(header);
  return dateMs === undefined ? undefined : Math.max(0, dateMs - nowMs);
}

/** Milliseconds since the Unix epoch; undefined for what is not a date of HTTP. */
export function parseHttpDate(text: string): number | undefined {
  // Only the form of C's asctime() leaves out the zone, which is always this one.
  const date = DATE.test(text) ? Date.parse(text.endsWith(' GMT') ? text : `${text} GMT`) : Number.NaN;
  return Number.isNaN(date) ? undefined : date;
}
