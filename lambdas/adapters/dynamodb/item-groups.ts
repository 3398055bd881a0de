/**
 * Writes of one process to one item, together where they come at the same time. While a write of an item is in flight,
 * further operations on it wait; when it is answered, all that wait go in one write. With nothing in flight an operation
 * goes in the same turn of the event loop, and one that is alone is sent as if there were no groups.
 */

/**
 * An operation waits no longer for the write before it: a DynamoDB write takes single-digit milliseconds, and one that
 * takes longer has met trouble that is not the trouble of others.
 */
const MAX_WAIT_MS = 25;

/** What a group's write came to for one operation; undefined: the operation goes alone. */
export type GroupResult<Answer> = { readonly answer: Answer } | { readonly failure: unknown } | undefined;

export interface GroupRules<Operation, Answer> {
  /** Which of the waiting operations go in one write, the first of them included. */
  choose(waiting: readonly Operation[]): readonly Operation[];
  /** Writes one operation, by as many requests as it takes. */
  alone(item: string, operation: Operation): Promise<Answer>;
  /** Writes two or more in one request: all or none. Where it throws, each goes alone. */
  together(item: string, operations: readonly Operation[]): Promise<readonly GroupResult<Answer>[]>;
}

interface Waiting<Operation, Answer> {
  readonly operation: Operation;
  readonly resolve: (answer: Answer | Promise<Answer>) => void;
  readonly reject: (failure: unknown) => void;
}

interface Queue<Operation, Answer> {
  waiting: readonly Waiting<Operation, Answer>[];
  inFlight: number;
  /** Cancels the sending that is scheduled. */
  cancel: (() => void) | undefined;
}

export class ItemGroups<Operation, Answer> {
  readonly #rules: GroupRules<Operation, Answer>;
  readonly #queues = new Map<string, Queue<Operation, Answer>>();

  constructor(rules: GroupRules<Operation, Answer>) {
    this.#rules = rules;
  }

  /** Does the operation, with others of the same item or alone; fails as it would alone. */
  submit(item: string, operation: Operation): Promise<Answer> {
    const queue = this.#queues.get(item) ?? { waiting: [], inFlight: 0, cancel: undefined };
    this.#queues.set(item, queue);
    return new Promise((resolve, reject) => {
      queue.waiting = [...queue.waiting, { operation, resolve, reject }];
      this.#schedule(item, queue);
    });
  }

  #schedule(item: string, queue: Queue<Operation, Answer>): void {
    if (queue.cancel !== undefined) return;
    const send = () => this.#sendNext(item, queue);
    if (queue.inFlight === 0) {
      const turn = setImmediate(send);
      queue.cancel = () => clearImmediate(turn);
    } else {
      const timer = setTimeout(send, MAX_WAIT_MS);
      queue.cancel = () => clearTimeout(timer);
    }
  }

  #sendNext(item: string, queue: Queue<Operation, Answer>): void {
    queue.cancel?.();
    queue.cancel = undefined;
    const chosen = new Set(this.#rules.choose(queue.waiting.map(({ operation }) => operation)));
    const group = queue.waiting.filter(({ operation }) => chosen.has(operation));
    queue.waiting = queue.waiting.filter(({ operation }) => !chosen.has(operation));
    queue.inFlight += 1;
    void this.#send(item, group).then(() => {
      queue.inFlight -= 1;
      if (queue.waiting.length > 0) this.#sendNext(item, queue);
      else if (queue.inFlight === 0 && queue.cancel === undefined) this.#queues.delete(item);
    });
    if (queue.waiting.length > 0) this.#schedule(item, queue);
  }

  /** Never fails: each operation has an answer or a failure of its own. */
  async #send(item: string, group: readonly Waiting<Operation, Answer>[]): Promise<void> {
    const operations = group.map(({ operation }) => operation);
    const results = group.length === 1 ? [] : await this.#rules.together(item, operations).catch(() => []);
    await Promise.all(
      group.map(async ({ operation, resolve, reject }, place) => {
        const result = results[place];
        if (result === undefined) await this.#rules.alone(item, operation).then(resolve, reject);
        else if ('failure' in result) reject(result.failure);
        else resolve(result.answer);
      }),
    );
  }
}
