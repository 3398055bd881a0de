/** What grows with the length of a stream, the catalog and the keys of an account. */
import type { Figure } from '../harness/report.ts';
import { measureLengths } from './lengths.ts';
import { measureCatalogs, measureKeys } from './sizes.ts';

export async function measureGrowth(): Promise<readonly Figure[]> {
  return [...(await measureLengths()), ...(await measureCatalogs()), ...(await measureKeys())];
}
