/** Wires `POST /v1/responses/input_tokens` for Lambda. */
import { createCapsules } from '../../adapters/system/capsules.ts';
import { systemClock } from '../../adapters/system/system.ts';
import { keyHandler } from '../../hosts/handlers.ts';
import { catalogSource } from '../../hosts/resources.ts';
import { countResponseTokens } from './endpoint.ts';

export const handler = keyHandler('openai', (resources) =>
  countResponseTokens({
    ...resources,
    capsules: (peppers) => createCapsules(peppers, systemClock),
    catalog: catalogSource(),
  }),
);
