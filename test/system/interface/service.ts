/** The service that the tables of the interface share, a caller with credit, and the shapes that responses have. */
import { expect } from '@jest/globals';
import { oneService } from '../one-service.ts';
import { Payer } from '../payer.ts';

export const service = oneService({ WEBHOOK_ALLOW_LOOPBACK: '1' });
export const caller = Payer.ofTests(service, '20');

/** The usage of a call in tokens, as chat and embeddings report it. */
export const USAGE = {
  prompt_tokens: expect.any(Number),
  completion_tokens: expect.any(Number),
  total_tokens: expect.any(Number),
};
