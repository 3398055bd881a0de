/** `POST /v1/responses/input_tokens`: what a Responses request would probably count as prompt; nothing is billed. */

import { keyHandler } from '../../../access/handlers/handlers.ts';
import { systemClock } from '../../../platform/system/system.ts';
import { createTokenCount } from '../../core/completions/token-count.ts';
import { responsesFormat } from '../../formats/responses/format.ts';
import { responsesRequest } from '../../formats/responses/schema.ts';
import { catalogSource } from '../../handlers/catalog.ts';
import { sharedHost } from '../../handlers/host-state.ts';
import { createSealedTokens } from '../../store/sealed-tokens.ts';

export const handler = keyHandler('openai', (resources) =>
  createTokenCount(
    {
      format: responsesFormat,
      schema: responsesRequest,
      bodyOf: (input_tokens) => ({ object: 'response.input_tokens', input_tokens }),
    },
    {
      ...resources,
      sealedTokens: (peppers) => createSealedTokens(peppers, systemClock),
      catalog: catalogSource(),
      requireCredit: (key) => sharedHost.requireCredit(key),
    },
  ),
);
