/** `POST /apps/{id}/purchase` and its like: buys a listing once, at the price that was shown, out of the account's credit. */
import type { SessionEndpoint } from '../../core/access/session.ts';
import { readOptionalJson, validate } from '../../core/json/json-body.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import { purchaseEntry, purchaseRequest } from '../../core/listings/activity.ts';
import { kindOf } from '../../core/listings/listing.ts';
import type { Purchases } from '../../core/listings/purchases.ts';
import { namesState, readIfMatch } from '../../core/listings/revision.ts';

export function purchaseListing(purchases: Purchases): SessionEndpoint {
  return async (request, { pathParameters: { id = '' }, session: { accountId } }) => {
    const state = namesState(request.headers) ? readIfMatch(request.headers) : undefined;
    const price = validate(purchaseRequest, await readOptionalJson(request));
    const seen = { state, price };
    const { entry, repeated } = await purchases.purchase({ kind: kindOf(request), id, accountId }, seen);
    return jsonResponse(purchaseEntry(entry), {}, repeated ? 200 : 201);
  };
}
