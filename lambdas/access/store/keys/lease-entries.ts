/** A lease as one short string, so that an item has room for many, and an entry is compared as a whole. */
import { type Item, text } from '../../../platform/dynamodb/attribute-values.ts';
import type { LeaseEntry } from '../../core/keys/key-leases.ts';

/** `<amount>|<expires>|<sequence>|<settled>|<settled of the next day>` */
export const encodeLease = ({ amount, expires, sequence, settled }: LeaseEntry): string =>
  [amount, expires, sequence, ...settled].join('|');

export function decodeLease(keyId: string, entry: string): LeaseEntry {
  const [amount, expires, sequence, first, second] = entry.split('|').map(BigInt);
  if (second === undefined || first === undefined || amount === undefined)
    throw new Error('the entry of a lease cannot be read');
  return { keyId, amount, expires: Number(expires), sequence: Number(sequence), settled: [first, second] };
}

/** The leases of a key's item, by their ids. */
export function decodeLeases(item: Item): ReadonlyMap<string, LeaseEntry> {
  const keyId = item.key_id?.S ?? '';
  return new Map(
    Object.entries(item.leases?.M ?? {}).map(([id, { S: entry = '' }]) => [id, decodeLease(keyId, entry)]),
  );
}

export const leaseText = (entry: LeaseEntry) => text(encodeLease(entry));
