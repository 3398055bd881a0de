/** `GET /`: the gateway index. */
import { jsonResponse } from '../../core/json/json-response.ts';
import type { Endpoint } from '../../core/ports.ts';

export interface Index {
  readonly name: string;
  readonly version: string;
  readonly interface_version: string;
  readonly endpoints: readonly { readonly method: string; readonly path: string; readonly purpose: string }[];
  readonly limits: Readonly<Record<string, number>>;
}

export function getIndex(index: Index): Endpoint {
  return async () => jsonResponse(index);
}
