/** `GET /`: the gateway index. */
import { jsonResponse } from '../../core/json/json-response.ts';
import type { Endpoint } from '../../core/ports.ts';
import type { Index } from '../../core/service-status.ts';

export const getIndex =
  (index: Index): Endpoint =>
  async () =>
    jsonResponse(index);
