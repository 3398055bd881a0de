/** Wires `GET /api/v1/operator/accounts` for Lambda. */
import { createAccountSummaries } from '../../adapters/access/account-summaries.ts';
import { operatorHandler } from '../../hosts/handlers.ts';
import { listOperatorAccounts } from './endpoint.ts';

export const handler = operatorHandler('platform', ({ clients, environment }) =>
  listOperatorAccounts(createAccountSummaries({ client: clients.client, environment })),
);
