/** `POST /apps/{id}/purchase` and its like: buys a listing once, at the price that was shown, out of the account's credit. */
import { authenticateSession, type Sessions } from '../../core/access/session.ts';
import { readOptionalJson, validate } from '../../core/json/json-body.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import { purchaseEntry, purchaseRequest } from '../../core/listings/activity.ts';
import { kindOf } from '../../core/listings/listing.ts';
import type { Purchases } from '../../core/listings/purchases.ts';
import { namesState, readIfMatch } from '../../core/listings/revision.ts';
import type { Endpoint } from '../../core/ports.ts';

export interface PurchaseListingDependencies {
  readonly sessions: Pick<Sessions, 'verify'>;
  readonly purchases: Purchases;
}

export function purchaseListing({ sessions, purchases }: PurchaseListingDependencies): Endpoint {
  return async (request, { pathParameters: { id = '' } }) => {
    const accountId = await authenticateSession(request.headers, sessions);
    const state = namesState(request.headers) ? readIfMatch(request.headers) : undefined;
    const price = validate(purchaseRequest, await readOptionalJson(request));
    const seen = { state, price };
    const { entry, repeated } = await purchases.purchase({ kind: kindOf(request), id, accountId }, seen);
    return jsonResponse(purchaseEntry(entry), {}, repeated ? 200 : 201);
  };
}
