/** Wires `GET /api/v1/credits` for Lambda. */
import { createLedger } from '../../adapters/ledger/create-ledger.ts';
import { sessionHandler } from '../../hosts/session-handler.ts';
import { getBalance } from './endpoint.ts';

export const handler = sessionHandler('platform', (resources) => getBalance(createLedger(resources)));
