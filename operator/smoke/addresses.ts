/** Where a smoke test calls. */
import type { Addresses } from '../addresses.ts';
import type { Operator } from '../operator.ts';

/** The addresses that were named, else those that the deployment announces. */
export const askedAddresses = async (
  operator: Operator,
  url: string | undefined,
  platform: string | undefined,
): Promise<Addresses> =>
  url === undefined ? operator.addresses() : { inference: url, platform: platform ?? url };
