/** Wires `DELETE /api-keys/{id}` for Lambda. */
import { createKeyRegistry } from '../../adapters/access/create-accounts.ts';
import { sessionHandler } from '../../hosts/session-handler.ts';
import { deleteKey } from './endpoint.ts';

export const handler = sessionHandler('platform', (resources) => deleteKey(createKeyRegistry(resources)));
