/** Wires `POST /v1/messages/count_tokens` for Lambda. */
import { createCatalog } from '../../adapters/inference/catalog-store.ts';
import { keyHandler } from '../../hosts/key-handler.ts';
import { countMessageTokens } from './endpoint.ts';

export const handler = keyHandler('messages', (resources) =>
  countMessageTokens({ ...resources, catalog: createCatalog({ ...resources, ...resources.clients }) }),
);
