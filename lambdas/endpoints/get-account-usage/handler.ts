/** Wires `GET /api/v1/usage/{request_id}` for Lambda. */
import { createAccountCalls } from '../../adapters/ledger/usage/create-account-usage.ts';
import { sessionHandler } from '../../hosts/session-handler.ts';
import { getAccountUsage } from './endpoint.ts';

export const handler = sessionHandler('platform', (resources) =>
  getAccountUsage(createAccountCalls(resources)),
);
