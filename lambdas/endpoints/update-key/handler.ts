/** Wires `PATCH /api-keys/{id}` for Lambda. */
import { createKeyRegistry } from '../../adapters/access/create-accounts.ts';
import { ApiKeys } from '../../core/access/api-keys.ts';
import { sessionHandler } from '../../hosts/session-handler.ts';
import { updateKey } from './endpoint.ts';

export const handler = sessionHandler('platform', (resources) =>
  updateKey(new ApiKeys(createKeyRegistry(resources)), resources.clock),
);
