/** Wires `GET /openapi.json` for Lambda. */

import { staticHandler } from '../../hosts/public-handler.ts';
import { describeService } from '../../openapi/operations.ts';
import { getOpenApi } from './endpoint.ts';

export const handler = staticHandler('platform', () => getOpenApi(describeService()));
