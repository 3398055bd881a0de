/** Wires `POST /api-keys` for Lambda. */
import { createKeyIssuer } from '../../adapters/access/create-accounts.ts';
import { createAccess } from '../../adapters/access/peppers.ts';
import { sessionHandler } from '../../hosts/session-handler.ts';
import { createKey } from './endpoint.ts';

export const handler = sessionHandler('platform', (resources) =>
  createKey(createKeyIssuer({ ...resources, ...createAccess(resources) }), resources.clock),
);
