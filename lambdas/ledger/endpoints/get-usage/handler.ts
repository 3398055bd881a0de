/** `GET /v1/usage/{request_id}`: one call of the requesting key, or of its account if its policy says so. */

import { authenticate } from '../../../access/core/keys/api-key.ts';
import { keyHandler } from '../../../access/handlers/handlers.ts';
import { toServiceError } from '../../../platform/core/errors.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import { accountCall, accountReceiptEntry, onlyKey } from '../../core/usage/account-calls.ts';
import { receiptEntry } from '../../core/usage/receipt.ts';
import { createAccountCalls } from '../../store/usage/create-account-usage.ts';

export const handler = keyHandler('openai', ({ peppers, gate, clients, environment }) => {
  const { usage, keys } = createAccountCalls({ clients, environment });
  return async (request, { pathParameters: { request_id: id = '' } }) => {
    const key = authenticate(request.headers, await peppers());
    const { state, headers } = await gate.touch(key);
    const isOfAccount = state.policy.reads === 'account';
    const readable = { usage, keys: isOfAccount ? keys : onlyKey(key.keyId) };
    const record = await accountCall(readable, state.accountId, id).catch((failure) => {
      throw toServiceError(failure).withHeaders(headers);
    });
    return jsonResponse(isOfAccount ? accountReceiptEntry(record) : receiptEntry(record), headers);
  };
});
