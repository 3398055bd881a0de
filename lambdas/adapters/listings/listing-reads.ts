/** Reading many listings by their ids. */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Listing } from '../../core/listings/listing.ts';
import { readText } from '../dynamodb/attribute-values.ts';
import { readMany } from '../dynamodb/reads.ts';
import { decodeListing, listingKey } from './listing-item.ts';

/** The listings with those ids (at most 100), in that order; those that are gone are left out. */
export async function readListings(
  client: DynamoDBClient,
  table: string,
  ids: readonly string[],
): Promise<readonly Listing[]> {
  const keys = [...new Set(ids)].map((id) => listingKey(id));
  const items = await readMany(client, table, keys);
  const found = new Map(items.map((item) => [readText(item, 'listing_id'), decodeListing(item)]));
  return ids.flatMap((id) => found.get(id) ?? []);
}
