/** Wires `POST /v1/messages/count_tokens` for Lambda. */
import { createCapsules } from '../../adapters/system/capsules.ts';
import { systemClock } from '../../adapters/system/system.ts';
import { keyHandler } from '../../hosts/handlers.ts';
import { catalogSource } from '../../hosts/resources.ts';
import { countMessageTokens } from './endpoint.ts';

export const handler = keyHandler('messages', (resources) =>
  countMessageTokens({
    ...resources,
    capsules: (peppers) => createCapsules(peppers, systemClock),
    catalog: catalogSource(),
  }),
);
