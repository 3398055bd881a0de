/** `GET /`: the gateway index. */

import { staticHandler } from '../../../access/handlers/handlers.ts';
import { serviceIndex } from '../../../app/service-index.ts';

export const handler = staticHandler('platform', () => async (request) => serviceIndex(request));
