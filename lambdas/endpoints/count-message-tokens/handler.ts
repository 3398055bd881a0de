/** `POST /v1/messages/count_tokens`: what a Messages request would probably count as prompt; nothing is billed. */
import { createCapsules } from '../../adapters/system/capsules.ts';
import { systemClock } from '../../adapters/system/system.ts';
import { messagesFormat } from '../../core/inference/completions/messages/format.ts';
import { messagesRequest } from '../../core/inference/completions/messages/schema.ts';
import { createTokenCount } from '../../core/inference/completions/token-count.ts';
import { keyHandler } from '../../hosts/handlers.ts';
import { catalogSource } from '../../hosts/resources.ts';

export const handler = keyHandler('messages', (resources) =>
  createTokenCount(
    { format: messagesFormat, schema: messagesRequest, answer: (input_tokens) => ({ input_tokens }) },
    {
      ...resources,
      capsules: (peppers) => createCapsules(peppers, systemClock),
      catalog: catalogSource(),
    },
  ),
);
