/** The mapping from an address to its page. */

/** The one of `addresses` that a location's hash names, where `$` stands for any text; undefined for none. */
export function addressOf<A extends string>(addresses: readonly A[], hash: string): A | undefined {
  const [path = ''] = hash.replace(/^#/, '').split('?');
  const parts = path.split('/');
  return addresses.find((address) => {
    const wanted = address.split('/');
    const fits = (part: string, at: number) =>
      part === parts[at] || (part.startsWith('$') && parts[at] !== '');
    return wanted.length === parts.length && wanted.every(fits);
  });
}
