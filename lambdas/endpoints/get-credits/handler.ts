/** Wires `GET /credits/{api_key}` for Lambda. */
import { createSessions } from '../../adapters/access/session-tokens.ts';
import { createLedger } from '../../adapters/ledger/create-ledger.ts';
import { keyHandler } from '../../hosts/key-handler.ts';
import { getCredits } from './endpoint.ts';

export const handler = keyHandler('platform', (resources) =>
  getCredits({ ...resources, ...createSessions(resources), ...createLedger(resources) }),
);
