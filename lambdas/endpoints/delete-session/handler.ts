/** Wires `POST /api/v1/auth/sign-out` for Lambda. */
import { sessionHandler } from '../../hosts/handlers.ts';
import { deleteSession } from './endpoint.ts';

export const handler = sessionHandler('platform', ({ sessions }) => deleteSession(sessions));
