/** The queues: what waits in each, who reads it, and where a message goes that cannot be handled. */
import type { ConsumerName } from './consumers.ts';

export interface Queue {
  /** Environment variable that holds the queue's URL in a function. */
  readonly variable: string;
  /** Absent for a dead-letter queue, which an operator checks. */
  readonly reader?: {
    readonly consumer: ConsumerName;
    readonly batchSize: number;
    /** Invocations at once; Lambda takes 2 to 1000. Fewer in an account with few executions (`lambdaConcurrency`). */
    readonly maxConcurrency: number;
  };
  /** Visibility timeout, seconds: how long a message that is being processed is hidden from other readers. */
  readonly visibilitySeconds?: number;
  /** The setting without which a deployment does not have the queue. */
  readonly setting?: 'market';
  /** After this number of failed readings, a message goes to that queue. */
  readonly dead?: { readonly queue: string; readonly maxReceives: number };
}

/** The number of times that a poison message is read before it moves to the dead-letter queue. */
const MAX_RECEIVES = 5;

export const QUEUES = {
  /** Events from the bus to the subscriptions. */
  events: {
    variable: 'EVENTS_QUEUE',
    reader: { consumer: 'fan-out-events', batchSize: 10, maxConcurrency: 50 },
    // Six times the function's timeout, as Lambda advises.
    visibilitySeconds: 180,
    dead: { queue: 'deadEvents', maxReceives: MAX_RECEIVES },
  },
  /** First attempts at receivers whose last attempt succeeded. */
  deliveries: {
    variable: 'DELIVERIES_QUEUE',
    reader: { consumer: 'deliver-webhooks', batchSize: 10, maxConcurrency: 200 },
    visibilitySeconds: 228,
    dead: { queue: 'deadDeliveries', maxReceives: MAX_RECEIVES },
  },
  /** Everything that may take 5 seconds to fail: retries, and first attempts at receivers that failed the last time. */
  retries: {
    variable: 'RETRIES_QUEUE',
    // Separate from the first attempts, so that any number of dead receivers leaves the first attempts their full
    // share.
    reader: { consumer: 'deliver-webhooks', batchSize: 10, maxConcurrency: 50 },
    visibilitySeconds: 228,
    dead: { queue: 'deadDeliveries', maxReceives: MAX_RECEIVES },
  },
  /** Events that could not be handled. */
  deadEvents: { variable: 'DEAD_EVENTS_QUEUE' },
  /** The positions of changes of listings that could not be followed: shard and sequence numbers, not the records. */
  deadChanges: { variable: 'DEAD_CHANGES_QUEUE', setting: 'market' },
  /** Attempts that could not be handled. */
  deadDeliveries: { variable: 'DEAD_DELIVERIES_QUEUE' },
  /** Deliveries that no attempt of 24 hours brought to their receiver: the receiver's fault, and nothing of ours. */
  exhaustedDeliveries: { variable: 'EXHAUSTED_DELIVERIES_QUEUE' },
} as const satisfies Record<string, Queue>;

export type QueueName = keyof typeof QUEUES;

/** The queues whose messages wait for an operator, in the order in which they are shown. */
export const COUNTED_QUEUES = [
  'deadEvents',
  'deadChanges',
  'deadDeliveries',
  'exhaustedDeliveries',
] as const satisfies readonly QueueName[];

export type CountedQueue = (typeof COUNTED_QUEUES)[number];

/** The name of a queue in a deployment, such as `prod-dead-events`. */
export const queueNameOf = (stage: string, name: QueueName): string =>
  `${stage}-${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
