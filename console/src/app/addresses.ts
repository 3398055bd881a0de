/** The mapping from an address to its page. */

/** The one of `addresses` that a location's hash names, where `$` stands for any text; undefined for none. */
export function addressOf<A extends string>(addresses: readonly A[], hash: string): A | undefined {
  const [path = ''] = hash.replace(/^#/, '').split('?');
  const segments = path.split('/');
  return addresses.find((address) => {
    const pattern = address.split('/');
    const fits = (segment: string, at: number) =>
      segment === segments[at] || (segment.startsWith('$') && segments[at] !== '');
    return pattern.length === segments.length && pattern.every(fits);
  });
}
