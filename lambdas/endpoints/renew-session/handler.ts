/** Wires `POST /api/v1/auth/renew` for Lambda. */
import { sessionHandler } from '../../hosts/handlers.ts';
import { renewSession } from './endpoint.ts';

export const handler = sessionHandler('platform', ({ sessions }) => renewSession(sessions));
