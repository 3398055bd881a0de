/** Every queue of the assembly, by ARN and by URL. */
import type { QueueDescription } from '../assembly/queues.ts';
import { LocalQueue } from './queue.ts';
import type { MessagingStore, StoredMessage } from './store.ts';

export interface QueuesOptions {
  readonly descriptions: readonly QueueDescription[];
  readonly store: MessagingStore;
  readonly clock: () => number;
}

export class Queues {
  readonly #byArn: ReadonlyMap<string, LocalQueue>;
  readonly #store: MessagingStore;

  constructor({ descriptions, store, clock }: QueuesOptions) {
    this.#store = store;
    const toDead = (queueArn: string, message: StoredMessage) => this.#moveToDead(queueArn, message);
    this.#byArn = new Map(
      descriptions.map((description) => [
        description.arn,
        new LocalQueue({ description, store, clock, toDead }),
      ]),
    );
  }

  get all(): readonly LocalQueue[] {
    return [...this.#byArn.values()];
  }

  byArn(arn: string): LocalQueue {
    const queue = this.#byArn.get(arn);
    if (queue === undefined) throw new Error(`no stack defines the queue ${arn}`);
    return queue;
  }

  /** Finds a queue by the last segment of the URL, which is its name; the host may be any. */
  byUrl(url: string): LocalQueue | undefined {
    const name = url.split('/').at(-1);
    return this.all.find(({ description }) => description.name === name);
  }

  /** A dead letter keeps its id and the time it was sent; its receptions begin anew. */
  #moveToDead(queueArn: string, message: StoredMessage): void {
    const queue = this.byArn(queueArn);
    const moved = { ...message, queue: queue.description.name, receives: 0, firstReceivedMs: null };
    this.#store.put([moved]);
    queue.adopt(moved);
  }
}
