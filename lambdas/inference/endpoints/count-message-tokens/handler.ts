/** `POST /v1/messages/count_tokens`: what a Messages request would probably count as prompt; nothing is billed. */

import { keyHandler } from '../../../access/handlers/handlers.ts';
import { systemClock } from '../../../platform/system/system.ts';
import { createTokenCount } from '../../core/completions/token-count.ts';
import { messagesFormat } from '../../formats/messages/format.ts';
import { messagesRequest } from '../../formats/messages/schema.ts';
import { catalogSource } from '../../handlers/catalog.ts';
import { sharedHost } from '../../handlers/host-state.ts';
import { createSealedTokens } from '../../store/sealed-tokens.ts';

export const handler = keyHandler('messages', (resources) =>
  createTokenCount(
    { format: messagesFormat, schema: messagesRequest, bodyOf: (input_tokens) => ({ input_tokens }) },
    {
      ...resources,
      sealedTokens: (peppers) => createSealedTokens(peppers, systemClock),
      catalog: catalogSource(),
      requireCredit: (key) => sharedHost.requireCredit(key),
    },
  ),
);
