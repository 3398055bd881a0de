/** Wires `PATCH /api-keys/{id}` for Lambda. */
import { createKeyRegistry } from '../../adapters/access/create-accounts.ts';
import { sessionHandler } from '../../hosts/session-handler.ts';
import { updateKey } from './endpoint.ts';

export const handler = sessionHandler('platform', (resources) =>
  updateKey(createKeyRegistry(resources), resources.clock),
);
