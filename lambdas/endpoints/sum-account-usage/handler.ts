/** Wires `GET /api/v1/usage/sums` for Lambda. */
import { createSums } from '../../adapters/ledger/usage/create-account-usage.ts';
import { sessionHandler } from '../../hosts/session-handler.ts';
import { sumAccountUsage } from './endpoint.ts';

export const handler = sessionHandler('platform', (resources) =>
  sumAccountUsage(createSums(resources), resources.clock),
);
