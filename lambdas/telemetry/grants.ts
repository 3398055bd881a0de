/** The grants of the functions of telemetry. Those of webhooks deliver it. */
import type { Grants } from '../platform/contract/grants.ts';

export const TELEMETRY_GRANTS = {
  'get-telemetry': { tables: { webhooks: ['GetItem'], deliveries: ['Query'] }, webhookKey: true },
  'set-telemetry': { tables: { webhooks: ['PutItem'], deliveries: [] }, webhookKey: true },
  'delete-telemetry': { tables: { webhooks: ['DeleteItem'] } },
  'export-calls': {
    follows: { table: 'usage' },
    tables: { webhooks: ['GetItem'], events: ['PutItem'], deliveries: ['PutItem'] },
    webhookKey: true,
    sends: ['deliveries', 'retries'],
  },
} as const satisfies Readonly<Record<string, Grants>>;
