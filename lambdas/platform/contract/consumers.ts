/** Asynchronous functions, by trigger. */
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
    purpose: 'calls the service as its callers do, and counts the calls that succeed and fail',
    api: 'inference',
    setting: 'smoke',
    // Five models, two calls each of 20 s at most, and the reads before them.
    timeoutSeconds: 240,
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
    // 5 s for the receiver, and three database calls that may each take 9 s with the SDK's repetitions.
    timeoutSeconds: 35,
  },
  'follow-listings': {
    purpose: 'publishes the events of listings, ranks them after installs, and purges those that are deleted',
    api: 'platform',
    // A batch is 100 records. The longest task is the removal of a popular listing's remaining items, which continues
    // where it stopped.
    timeoutSeconds: 60,
  },
  'build-search-index': {
    purpose: 'updates the stored search index by the changes of listings',
    api: 'platform',
    // The first one of 50,000 listings takes some 30 s, and an update seconds.
    timeoutSeconds: 300,
  },
  'rank-trending': {
    purpose: 'ranks what is trending anew, as installs grow old',
    api: 'platform',
    // Age reduces all scores alike. Only what leaves a window changes their order, and installs are counted by the hour.
    schedule: 'rate(1 hour)',
    timeoutSeconds: 60,
  },
  'record-scans': {
    purpose: 'inspects uploaded builds, and records the verdict of the malware scanner',
    api: 'platform',
    // 50 MB are read, hashed, inspected and written: ten seconds of a whole core, and S3.
    timeoutSeconds: 120,
  },
  'process-due-items': {
    purpose:
      'matures, holds and reverses the sales whose time has come, renews and ends subscriptions, takes the next step of payouts, and requests overdue scans of builds again',
    api: 'platform',
    // A sale that waits for seven days may wait for five more minutes.
    schedule: 'rate(5 minutes)',
    // It starts items for 240 s; an item takes a second at most.
    timeoutSeconds: 300,
  },
} as const satisfies Record<string, Consumer>;

export type ConsumerName = keyof typeof CONSUMERS;

/** Once a day, when the UTC day before is closed: it is an hour longer than a call may take to be settled. */
export const AUDIT_SCHEDULE = 'cron(0 3 * * ? *)';
