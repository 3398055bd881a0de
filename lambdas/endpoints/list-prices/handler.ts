/** Wires `GET /api/v1/models` for Lambda. */
import { catalogSource } from '../../hosts/catalog.ts';
import { publicHandler } from '../../hosts/public-handler.ts';
import { listPrices } from './endpoint.ts';

export const handler = publicHandler('openai', () => listPrices(catalogSource()));
