/** Wires `GET /v1/models/{model}` for Lambda. */
import { catalogSource } from '../../hosts/catalog.ts';
import { publicHandler } from '../../hosts/public-handler.ts';
import { getModel } from './endpoint.ts';

export const handler = publicHandler('openai', () => getModel(catalogSource()));
