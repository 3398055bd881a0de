/** Asynchronous functions, by trigger. */
import { MARKET_CONSUMERS } from './market-consumers.ts';
import type { Route } from './route.ts';

export interface Consumer {
  readonly purpose: string;
  /** The stack that holds it. */
  readonly api: Route['api'];
  readonly timeoutSeconds: number;
  /** EventBridge schedule expression; absent for a step of a workflow and for readers of queues (`queues.ts`). */
  readonly schedule?: string;
  /** The setting that deploys it, and that specifies how often it runs. */
  readonly setting?: 'smoke';
}

export const CONSUMERS = {
  'sweep-holds': {
    purpose: 'recovers the holds of crashed calls',
    api: 'inference',
    // A hold that has expired has waited 20 minutes already; five more lock no more credit than it was meant to.
    schedule: 'rate(5 minutes)',
    timeoutSeconds: 240,
  },
  'sweep-recordings': {
    purpose: 'deletes recordings that crashed calls have left in the bucket of transcriptions',
    api: 'inference',
    // What is left is 20 minutes old when a run deletes it, and 35 at most.
    schedule: 'rate(15 minutes)',
    // Lists of a thousand objects and a hundred jobs take a second; each job is deleted by itself.
    timeoutSeconds: 240,
  },
  'settle-transcription': {
    purpose: 'settles a transcription on its duration, as the step of its own workflow',
    api: 'inference',
    // Its execution lasts eight seconds; no caller waits for a step that takes longer.
    timeoutSeconds: 10,
  },
  'audit-books': {
    purpose: 'proves the books of a segment of the accounts, as a step of the audit workflow',
    api: 'inference',
    // A step starts accounts for 600 s and reads records for 780 s: fewer steps mean fewer events of the workflow.
    timeoutSeconds: 900,
  },
  'watch-prices': {
    purpose: 'compares the prices of the catalog with those of a newer source',
    api: 'inference',
    // Once a day, as price lists change; in the morning, after the audit.
    schedule: 'cron(0 5 * * ? *)',
    // Two catalogs of 20,000 models are read and checked.
    timeoutSeconds: 120,
  },
  'run-smoke': {
    purpose: 'calls the service as its callers do, and fails if a call does',
    api: 'inference',
    setting: 'smoke',
    // Five models, two calls each of 20 s at most or a transcription of 90 s, and the reads before them.
    timeoutSeconds: 300,
  },
  'reconcile-payments': {
    purpose: 'compares the orders with the payment provider, and applies what no event has brought',
    api: 'platform',
    // Once a day, in the morning, so that a person reads in working hours what differs.
    schedule: 'cron(0 6 * * ? *)',
    // 1,000 pages of the provider, and a scan of the accounts.
    timeoutSeconds: 900,
  },
  'fan-out-events': {
    purpose: 'makes a delivery of an event for each subscription to it',
    api: 'platform',
    // A hundred subscriptions are a hundred writes and ten messages of ten, a second or two for a batch of events.
    timeoutSeconds: 30,
  },
  'deliver-webhooks': {
    purpose: 'sends deliveries to their receivers, and plans the next attempt of those that fail',
    api: 'platform',
    // 5 s for the receiver, 10 s for the two requests of telemetry, and three database calls that may each take 9 s with
    // the SDK's repetitions.
    timeoutSeconds: 38,
  },
  'export-calls': {
    purpose: 'makes a delivery of each batch of settled calls for the receivers of telemetry',
    api: 'platform',
    // A batch is 100 calls, for which at most 101 receivers are read, and get three writes each.
    timeoutSeconds: 60,
  },
  ...MARKET_CONSUMERS,
} as const satisfies Record<string, Consumer>;

export type ConsumerName = keyof typeof CONSUMERS;

/** Once a day, when the UTC day before is closed: it is an hour longer than a call may take to be settled. */
export const AUDIT_SCHEDULE = 'cron(0 3 * * ? *)';
