/** The response headers of a request for which something is deprecated: its route, or a field or value of it. */

export interface Deprecation {
  /** The UTC day since which it is deprecated, such as `2027-01-01`. */
  readonly since: string;
  /** The first UTC day on which it may be removed; not before `since`. */
  readonly sunset: string;
  /** The URL of the page that names it and its replacement. */
  readonly link: string;
}

/** Returns the headers of all that a request uses, with the earliest dates (RFC 9745; RFC 8594); none for nothing. */
export function deprecationHeaders(all: readonly Deprecation[]): Readonly<Record<string, string>> {
  if (all.length === 0) return {};
  const earliestMs = (days: readonly string[]) => Math.min(...days.map(Date.parse));
  return {
    deprecation: `@${earliestMs(all.map(({ since }) => since)) / 1000}`,
    sunset: new Date(earliestMs(all.map(({ sunset }) => sunset))).toUTCString(),
    link: all.map(({ link }) => `<${link}>; rel="deprecation"; type="text/html"`).join(', '),
  };
}
