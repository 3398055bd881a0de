/** `GET /v1/usage/{request_id}`: one call of the requesting key, or of its account if its policy says so. */

import { authenticate } from '../../../access/core/keys/api-key.ts';
import { keyHandler } from '../../../access/handlers/handlers.ts';
import { ServiceError, toServiceError } from '../../../platform/core/errors.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import { accountCall, accountReceiptEntry } from '../../core/usage/account-calls.ts';
import { receiptEntry } from '../../core/usage/receipt.ts';
import { createAccountCalls } from '../../store/usage/create-account-usage.ts';

export const handler = keyHandler('openai', ({ peppers, gate, clients, environment }) => {
  const dependencies = createAccountCalls({ clients, environment });
  return async (request, { pathParameters }) => {
    const key = authenticate(request.headers, await peppers());
    const { state, headers } = await gate.touch(key);
    const requestId = pathParameters.request_id ?? '';
    if (state.policy.reads === 'account') {
      const record = await accountCall(dependencies, state.accountId, requestId).catch((failure) => {
        throw toServiceError(failure).withHeaders(headers);
      });
      return jsonResponse(accountReceiptEntry(record), headers);
    }
    const record = await dependencies.usage.get(key.keyId, requestId);
    const message = 'This API key has no such call, or it is not settled yet.';
    if (record === undefined) throw new ServiceError('not_found', message, { headers });
    return jsonResponse(receiptEntry(record), headers);
  };
});
