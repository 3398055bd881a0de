/** Wires `POST /api-keys` for Lambda. */
import { createKeyIssuer } from '../../adapters/access/create-accounts.ts';
import { createSecrets } from '../../adapters/access/create-secrets.ts';
import { sessionHandler } from '../../hosts/session-handler.ts';
import { createKey } from './endpoint.ts';

export const handler = sessionHandler('platform', (resources) =>
  createKey(createKeyIssuer({ ...resources, ...createSecrets(resources) }), resources.clock),
);
