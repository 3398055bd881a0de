/** Wires `POST /v1/messages/count_tokens` for Lambda. */
import { createCapsules } from '../../adapters/system/capsules.ts';
import { systemClock } from '../../adapters/system/system.ts';
import { catalogSource } from '../../hosts/catalog.ts';
import { keyHandler } from '../../hosts/key-handler.ts';
import { countMessageTokens } from './endpoint.ts';

export const handler = keyHandler('messages', (resources) =>
  countMessageTokens({
    ...resources,
    capsules: (peppers) => createCapsules(peppers, systemClock),
    catalog: catalogSource(),
  }),
);
