/** Wires `GET /docs` for Lambda. */
import { staticHandler } from '../../hosts/public-handler.ts';
import { getDocs } from './endpoint.ts';

export const handler = staticHandler('platform', getDocs);
