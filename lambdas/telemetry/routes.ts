/** The routes of telemetry: the receiver of an account's calls. */
import { owner, type Route } from '../platform/contract/route.ts';

export const TELEMETRY_ROUTES = [
  owner('GET /api/v1/telemetry', 'get-telemetry', 'the OTLP receiver of the account’s calls, and its state'),
  owner('PUT /api/v1/telemetry', 'set-telemetry', 'sends the account’s calls to an OTLP receiver'),
  owner('DELETE /api/v1/telemetry', 'delete-telemetry', 'sends the account’s calls nowhere'),
] as const satisfies readonly Route[];
