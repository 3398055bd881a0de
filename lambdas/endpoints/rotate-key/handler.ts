/** Wires `POST /api-keys/{id}/rotate` for Lambda. */
import { createKeyIssuer } from '../../adapters/access/create-accounts.ts';
import { createSecrets } from '../../adapters/access/create-secrets.ts';
import { sessionHandler } from '../../hosts/session-handler.ts';
import { rotateKey } from './endpoint.ts';

export const handler = sessionHandler('platform', (resources) =>
  rotateKey(createKeyIssuer({ ...resources, ...createSecrets(resources) }), resources.clock),
);
