/** Addresses that others wrote: only a page of the web is gone to, whatever an answer says. */

/** The address in its canonical form; undefined for what is none of `http` or `https`. */
export function webAddress(text: string): string | undefined {
  const url = URL.parse(text);
  return url !== null && ['http:', 'https:'].includes(url.protocol) ? url.href : undefined;
}
