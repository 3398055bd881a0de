/** The grants of the functions of webhooks and their deliveries. */
import type { Grants } from '../platform/contract/grants.ts';

const webhookLists = { webhooks: ['GetItem'], deliveries: ['Query'], keys: ['UpdateItem'] } as const;
const lanes = ['deliveries', 'retries'] as const;

export const WEBHOOK_GRANTS = {
  'create-webhook': { tables: { webhooks: ['PutItem', 'UpdateItem'] }, webhookKey: true },
  'list-webhooks': { tables: { webhooks: ['Query'] } },
  'get-webhook': { tables: webhookLists },
  'update-webhook': { tables: { webhooks: ['GetItem', 'UpdateItem'] } },
  'delete-webhook': { tables: { webhooks: ['DeleteItem', 'UpdateItem'] } },
  'rotate-webhook-secret': { tables: { webhooks: ['GetItem', 'UpdateItem'] }, webhookKey: true },
  'test-webhook': {
    tables: { webhooks: ['GetItem'], events: ['PutItem'], deliveries: ['PutItem'] },
    webhookKey: true,
    sends: lanes,
  },
  'list-deliveries': { tables: webhookLists },
  'redeliver-webhook': { tables: { webhooks: ['GetItem'], deliveries: ['GetItem'] }, sends: lanes },
  'recover-webhook': { tables: webhookLists, sends: lanes },
  'fan-out-events': {
    tables: { webhooks: ['Query'], events: ['PutItem', 'UpdateItem'], deliveries: ['PutItem'] },
    webhookKey: true,
    sends: lanes,
    mails: true,
  },
  'deliver-webhooks': {
    tables: { webhooks: ['GetItem', 'UpdateItem'], events: ['GetItem'], deliveries: ['UpdateItem'] },
    webhookKey: true,
    sends: [...lanes, 'exhaustedDeliveries'],
    schedules: true,
    publishes: true,
  },
} as const satisfies Readonly<Record<string, Grants>>;
