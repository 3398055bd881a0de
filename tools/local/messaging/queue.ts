/**
 * A standard queue of SQS: delays, visibility, dead letters, and fair queueing. Source: Amazon SQS developer guide.
 * Where SQS looks after quiet groups once another is noisy, this one always serves the group with the fewest messages
 * in flight first.
 */
import { randomUUID } from 'node:crypto';
import type { QueueDescription } from '../assembly/queues.ts';
import type { MessagingStore, StoredMessage } from './store.ts';

export interface NewMessage {
  readonly body: string;
  readonly groupId?: string | undefined;
  readonly delayMs?: number | undefined;
}

export interface ReceivedMessage extends StoredMessage {
  /** Deletes or returns this very reception. */
  readonly receipt: string;
}

interface HiddenMessage {
  readonly dueMs: number;
  readonly message: StoredMessage;
  /** The reception that hides it, if one does. */
  readonly receipt: string | undefined;
}

interface MessageGroup {
  /** Visible messages, oldest first. */
  readonly waiting: StoredMessage[];
  inFlight: number;
}

export interface QueueOptions {
  readonly description: QueueDescription;
  readonly store: MessagingStore;
  readonly clock: () => number;
  /** Takes a message that was received in vain too often. */
  readonly toDead: (queueArn: string, message: StoredMessage) => void;
}

export class LocalQueue {
  readonly description: QueueDescription;
  readonly #options: QueueOptions;
  readonly #groups = new Map<string, MessageGroup>();
  /** The last to be visible first. */
  readonly #hidden: HiddenMessage[] = [];
  /** Receptions whose visibility has not ended. */
  readonly #inFlight = new Map<string, StoredMessage>();
  /** Called whenever a message may have become receivable, or its time is known. */
  onChange = () => {};
  /** Messages that are there, whether visible or not. */
  #size = 0;

  constructor(options: QueueOptions) {
    this.#options = options;
    this.description = options.description;
    for (const message of options.store.messages(this.description.name)) this.#hide(message, undefined);
  }

  /** Returns the ids; the messages are safe when this returns. */
  send(messages: readonly NewMessage[]): readonly string[] {
    const nowMs = this.#options.clock();
    const stored = messages.map(
      ({ body, groupId = null, delayMs = this.description.delayMs }): StoredMessage => ({
        id: randomUUID(),
        queue: this.description.name,
        body,
        groupId,
        sentMs: nowMs,
        visibleMs: nowMs + delayMs,
        receives: 0,
        firstReceivedMs: null,
      }),
    );
    this.#options.store.put(stored);
    for (const message of stored) this.#hide(message, undefined);
    this.onChange();
    return stored.map(({ id }) => id);
  }

  /** Takes in a message that the store has already moved here. */
  adopt(message: StoredMessage): void {
    this.#hide(message, undefined);
    this.onChange();
  }

  /** At most `maxMessages`, hidden from others for the queue's time. */
  receive(maxMessages: number): readonly ReceivedMessage[] {
    const nowMs = this.#options.clock();
    this.#reveal(nowMs);
    const received: ReceivedMessage[] = [];
    while (received.length < maxMessages) {
      const message = this.#next();
      if (message === undefined) break;
      if (this.#isDead(message)) continue;
      message.visibleMs = nowMs + this.description.visibilityMs;
      message.receives += 1;
      message.firstReceivedMs ??= nowMs;
      const receipt = randomUUID();
      this.#inFlight.set(receipt, message);
      this.#groupOf(message).inFlight += 1;
      this.#hide(message, receipt);
      received.push({ ...message, receipt });
    }
    if (received.length > 0) this.#options.store.put(received.map(({ receipt: _, ...message }) => message));
    return received;
  }

  /** Ends messages for good. A reception whose visibility has ended has no say any more. */
  delete(receipts: readonly string[]): void {
    const messages = receipts.flatMap((receipt) => this.#release(receipt) ?? []);
    this.#options.store.remove(messages.map(({ id }) => id));
    this.#size -= messages.length;
  }

  /** Counts like SQS: messages that can be received, that a reader holds, and that are delayed. */
  counts(): { readonly visible: number; readonly inFlight: number; readonly delayed: number } {
    this.#reveal(this.#options.clock());
    const visible = [...this.#groups.values()].reduce((sum, { waiting }) => sum + waiting.length, 0);
    return { visible, inFlight: this.#inFlight.size, delayed: this.#size - visible - this.#inFlight.size };
  }

  /** The time at which the next hidden message becomes visible. */
  get nextVisibleMs(): number | undefined {
    return this.#hidden.at(-1)?.dueMs;
  }

  #hide(message: StoredMessage, receipt: string | undefined): void {
    if (receipt === undefined) this.#size += 1;
    const dueMs = message.visibleMs;
    const at = this.#hidden.findIndex((other) => other.dueMs <= dueMs);
    this.#hidden.splice(at < 0 ? this.#hidden.length : at, 0, { dueMs, message, receipt });
  }

  #reveal(nowMs: number): void {
    for (let last = this.#hidden.at(-1); last && last.dueMs <= nowMs; last = this.#hidden.at(-1)) {
      this.#hidden.pop();
      const { message, receipt } = last;
      // A reception that was deleted has left its entry here.
      if (receipt === undefined || this.#release(receipt)) this.#groupOf(message).waiting.push(message);
    }
  }

  #release(receipt: string): StoredMessage | undefined {
    const message = this.#inFlight.get(receipt);
    if (message === undefined) return undefined;
    this.#inFlight.delete(receipt);
    this.#groupOf(message).inFlight -= 1;
    return message;
  }

  /** From the group that has the fewest messages in flight; of those, from the one whose message waits longest. */
  #next(): StoredMessage | undefined {
    let best: MessageGroup | undefined;
    for (const [name, group] of this.#groups) {
      const [head] = group.waiting;
      if (head === undefined) {
        if (group.inFlight === 0) this.#groups.delete(name);
        continue;
      }
      const [bestHead] = best?.waiting ?? [];
      if (best === undefined || bestHead === undefined || group.inFlight < best.inFlight) best = group;
      else if (group.inFlight === best.inFlight && head.sentMs < bestHead.sentMs) best = group;
    }
    return best?.waiting.shift();
  }

  #isDead(message: StoredMessage): boolean {
    const { dead, retentionMs } = this.description;
    const { store, clock, toDead } = this.#options;
    if (message.sentMs + retentionMs < clock()) {
      store.remove([message.id]);
    } else if (dead !== undefined && message.receives >= dead.maxReceives) {
      toDead(dead.queueArn, message);
    } else return false;
    this.#size -= 1;
    return true;
  }

  /** Messages without a group are one. */
  #groupOf({ groupId }: StoredMessage): MessageGroup {
    const name = groupId ?? '';
    const group = this.#groups.get(name) ?? { waiting: [], inFlight: 0 };
    this.#groups.set(name, group);
    return group;
  }
}
