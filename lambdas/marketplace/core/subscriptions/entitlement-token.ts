/**
 * Proofs of an entitlement for the product of a listing: signed, valid for minutes, and for that listing alone. They
 * spend nothing and read nothing, and their subject is another one for each listing.
 */
import * as z from 'zod';
import { type Body, seconds } from '../../../platform/core/api/response-schema.ts';
import { ServiceError } from '../../../platform/core/errors.ts';
import type { Clock } from '../../../platform/core/ports.ts';
import type { Listing } from '../listings/listing.ts';
import type { ListingRequest, Listings } from '../listings/listings.ts';
import { type EntitlementSource, entitlementsBody, type Holdings } from './entitlement.ts';

/** Long enough for clocks that differ by a minute; who loses an entitlement keeps it no longer. */
export const TOKEN_SECONDS = 300;

/** The claims of a token, besides its issuer. */
export interface EntitlementClaims {
  /** The listing. */
  readonly audience: string;
  readonly subject: string;
  readonly source: EntitlementSource;
  readonly plan: string | null;
  /** Seconds since the epoch, as `expires`. */
  readonly issued: number;
  readonly expires: number;
}

export const entitlementTokenSchema = z.object({
  object: z.literal('entitlement_token'),
  token: z
    .string()
    .describe(
      'A JSON Web Token, signed by ES256 with a key of `/.well-known/jwks.json`. `aud` is the listing, and `sub` names the account for this listing alone.',
    ),
  expires: seconds,
});

const keySchema = z.object({
  kty: z.literal('EC'),
  crv: z.literal('P-256'),
  x: z.string(),
  y: z.string(),
  kid: z.string(),
  alg: z.literal('ES256'),
  use: z.literal('sig'),
});

export type PublicKey = z.infer<typeof keySchema>;

export const keySetSchema = z.object({ keys: z.array(keySchema) });

export interface TokenDependencies {
  readonly listings: Pick<Listings, 'get'>;
  readonly holdings: (accountId: string, listingId: string) => Promise<Holdings>;
  /** Returns the name of an account for one listing: always the same, and unrelated to that for another. */
  readonly pseudonym: (accountId: string, listingId: string) => Promise<string>;
  readonly sign: (claims: EntitlementClaims) => Promise<string>;
  readonly clock: Clock;
}

/** Issues a token. Throws 404, and 403 `not_customer` to an account without an active entitlement. */
export async function issueEntitlementToken(
  { listings, holdings, pseudonym, sign, clock }: TokenDependencies,
  { kind, id: listingId, accountId }: ListingRequest,
): Promise<Body<typeof entitlementTokenSchema>> {
  const issued = Math.floor(clock() / 1000);
  const { data } = entitlementsBody(await holdings(accountId, listingId), issued);
  const active = data.find((each) => each.active);
  if (active === undefined) {
    await listings.get(kind, listingId);
    const owes = data.some(({ reason }) => reason === 'account_owes');
    const message = owes
      ? 'The account owes: add credit, and what it has bought is active again.'
      : 'The account has no active entitlement: buy the listing, or subscribe to it.';
    throw new ServiceError('not_customer', message);
  }
  const expires = issued + TOKEN_SECONDS;
  const { source, plan } = active;
  const subject = await pseudonym(accountId, listingId);
  const token = await sign({ audience: listingId, subject, source, plan, issued, expires });
  return { object: 'entitlement_token', token, expires };
}

/** Returns those of the listings that belong to an account: of others, it learns nothing. */
export const ownListings = (listings: readonly Listing[], accountId: string): readonly string[] =>
  listings.filter(({ ownerId }) => ownerId === accountId).map(({ id }) => id);
