/** What grows with the length of a stream, the open calls of a wallet, the catalog and the keys of an account. */
import type { Figure } from '../harness/report.ts';
import { measureHolds } from './holds.ts';
import { measureLengths } from './lengths.ts';
import { measureCatalogs, measureKeys } from './sizes.ts';

export async function measureGrowth(): Promise<readonly Figure[]> {
  return [
    ...(await measureLengths()),
    ...(await measureCatalogs()),
    ...(await measureKeys()),
    ...(await measureHolds()),
  ];
}
