/** `POST /v1/responses/input_tokens`: what a Responses request would probably count as prompt; nothing is billed. */
import { createCapsules } from '../../adapters/system/capsules.ts';
import { systemClock } from '../../adapters/system/system.ts';
import { responsesFormat } from '../../core/inference/completions/responses/format.ts';
import { responsesRequest } from '../../core/inference/completions/responses/schema.ts';
import { createTokenCount } from '../../core/inference/completions/token-count.ts';
import { keyHandler } from '../../hosts/handlers.ts';
import { catalogSource } from '../../hosts/resources.ts';

export const handler = keyHandler('openai', (resources) =>
  createTokenCount(
    {
      format: responsesFormat,
      schema: responsesRequest,
      answer: (input_tokens) => ({ object: 'response.input_tokens', input_tokens }),
    },
    {
      ...resources,
      capsules: (peppers) => createCapsules(peppers, systemClock),
      catalog: catalogSource(),
    },
  ),
);
