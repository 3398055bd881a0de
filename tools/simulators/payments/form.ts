/** Stripe's request bodies: forms whose names nest, as `line_items[0][price_data][currency]=usd` (Stripe API reference). */

export type FormValue = string | { readonly [name: string]: FormValue };

/** The form as nested objects; a list is an object with the names `0`, `1` and so on. */
export function readForm(body: string): Record<string, FormValue> {
  const root: Record<string, FormValue> = Object.create(null);
  for (const [name, value] of new URLSearchParams(body)) {
    const path = name.split(/\[|\]\[|\]/).filter((part, index) => index === 0 || part !== '');
    let parent: Record<string, FormValue> = root;
    for (const part of path.slice(0, -1)) {
      const inner = parent[part];
      const next = typeof inner === 'object' ? inner : Object.create(null);
      parent[part] = next;
      parent = next as Record<string, FormValue>;
    }
    parent[path.at(-1) ?? ''] = value;
  }
  return root;
}
