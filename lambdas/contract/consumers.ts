/** The functions that no caller waits for, by what sets them off. */

export interface Consumer {
  readonly purpose: string;
  readonly timeoutSeconds: number;
  /** EventBridge schedule expression; absent for a step of a workflow. */
  readonly schedule?: string;
}

export const CONSUMERS = {
  'sweep-holds': {
    purpose: 'recovers the holds of crashed calls',
    // A hold that has expired has waited 20 minutes already; five more lock no more credit than it was meant to.
    schedule: 'rate(5 minutes)',
    timeoutSeconds: 240,
  },
  'settle-transcription': {
    purpose: 'settles a transcription on its duration, as the step of its own workflow',
    // A handful of database calls with all their retries.
    timeoutSeconds: 30,
  },
  'audit-books': {
    purpose: 'proves the books of a page of accounts, as a step of the audit workflow',
    // A page is 25 wallets, each with all its usage records: an account of a million calls takes minutes.
    timeoutSeconds: 900,
  },
} as const satisfies Record<string, Consumer>;

export type ConsumerName = keyof typeof CONSUMERS;

/** Once a day, when most of the world's offices are closed: an audit of an account in full flight says nothing. */
export const AUDIT_SCHEDULE = 'cron(0 3 * * ? *)';
