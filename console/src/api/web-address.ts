/** Addresses from other parties: the console opens only web pages, for any address in a response. */

/** The address in its canonical form; undefined for what is none of `http` or `https`. */
export function webAddress(text: string): string | undefined {
  const url = URL.parse(text);
  return url !== null && ['http:', 'https:'].includes(url.protocol) ? url.href : undefined;
}
