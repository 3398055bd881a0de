/** Wires `GET /credits/{api_key}` for Lambda. */
import { createLedger } from '../../adapters/ledger/create-ledger.ts';
import { keyOrSessionHandler } from '../../hosts/key-or-session-handler.ts';
import { getCredits } from './endpoint.ts';

export const handler = keyOrSessionHandler('platform', (resources) =>
  getCredits({ ...resources, ...createLedger(resources) }),
);
