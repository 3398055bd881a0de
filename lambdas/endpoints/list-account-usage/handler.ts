/** Wires `GET /api/v1/usage` for Lambda. */
import { createAccountCalls } from '../../adapters/ledger/usage/create-account-usage.ts';
import { sessionHandler } from '../../hosts/session-handler.ts';
import { listAccountUsage } from './endpoint.ts';

export const handler = sessionHandler('platform', (resources) =>
  listAccountUsage(createAccountCalls(resources)),
);
