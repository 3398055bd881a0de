/** Wires `GET /api/v1/auth/me` for Lambda. */
import { readAccount } from '../../adapters/access/account-item.ts';
import { requireTable } from '../../contract/tables.ts';
import { sessionHandler } from '../../hosts/session-handler.ts';
import { getAccount } from './endpoint.ts';

export const handler = sessionHandler('platform', ({ clients, environment }) => {
  const table = requireTable(environment, 'accounts');
  return getAccount((accountId) => readAccount(clients.client, table, accountId));
});
