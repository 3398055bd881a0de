/** Wires `POST /api/v1/operator/sign-out` for Lambda. */
import { operatorHandler } from '../../hosts/operator-handler.ts';
import { deleteOperatorSession } from './endpoint.ts';

export const handler = operatorHandler('platform', ({ sessions }) => deleteOperatorSession(sessions));
