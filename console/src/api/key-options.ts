/** The keys to choose from, as a filter of calls. */
import type { ApiKey, UsageEntry } from './types.ts';

export type Option = readonly [value: string, text: string];

/**
 * Returns the keys of the account, once they have arrived, then the revoked ones of calls. Those may share a name, so the end
 * of their id follows.
 */
export function keyOptions(
  keys: readonly Pick<ApiKey, 'id' | 'name'>[] | undefined,
  calls: readonly Pick<UsageEntry, 'api_key' | 'key_name'>[],
): readonly Option[] {
  if (keys === undefined) return [];
  const options = new Map(keys.map(({ id, name }) => [id, name]));
  for (const { api_key: id, key_name: name } of calls)
    if (!options.has(id)) options.set(id, `${name ?? 'Key'} (revoked, …${id.slice(-4)})`);
  return [...options];
}
