/** `POST /apps/{id}/purchase` and its like: buys a listing out of the credit of the account that is signed in, once. */
import { authenticateSession, type SessionTokens } from '../../core/access/session.ts';
import { jsonResponse } from '../../core/json-response.ts';
import { purchaseEntry } from '../../core/listings/activity.ts';
import { kindOf } from '../../core/listings/listing.ts';
import type { Purchases } from '../../core/listings/purchases.ts';
import type { Endpoint } from '../../core/ports.ts';

export interface PurchaseListingDependencies {
  readonly tokens: SessionTokens;
  readonly purchases: Purchases;
}

export function purchaseListing({ tokens, purchases }: PurchaseListingDependencies): Endpoint {
  return async (request, { pathParameters: { id = '' } }) => {
    const accountId = await authenticateSession(request.headers, tokens);
    const { entry, repeated } = await purchases.purchase({ kind: kindOf(request), id, accountId });
    return jsonResponse(purchaseEntry(entry), {}, repeated ? 200 : 201);
  };
}
