/** `GET /`: the gateway index. */

import type { Index } from '../../core/api/service-status.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import type { Endpoint } from '../../core/ports.ts';

export const getIndex =
  (index: Index): Endpoint =>
  async () =>
    jsonResponse(index);
