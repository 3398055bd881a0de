/** Delivers the sandbox's events, signed as Stripe signs them, until somebody takes them. */
import Stripe from 'stripe';
import { newId, nowSeconds, type PaymentLedger } from './books.ts';

export interface Recipient {
  readonly url: string;
  readonly secret: string;
}

const newEvent = (type: string, object: object, account: string | undefined) => ({
  id: newId('evt'),
  object: 'event',
  type,
  created: nowSeconds(),
  data: { object: structuredClone(object) },
  livemode: false,
  ...(account === undefined ? {} : { account }),
});

export type SandboxEvent = ReturnType<typeof newEvent>;

/** Between two tries at one event, milliseconds; Stripe itself goes on for three days. */
const RETRY_MS = [500, 1_000, 2_000, 5_000, 15_000, 60_000];
const TIMEOUT_MS = 30_000;

type Outbox = PaymentLedger<{ readonly outbox: Record<string, SandboxEvent> }>;

export class Courier {
  readonly #ledger: Outbox;
  readonly #log: (line: string) => void;
  readonly #stripe = new Stripe('sk_test_sandbox');
  readonly #timers = new Set<NodeJS.Timeout>();
  #recipient: Recipient | undefined;
  #stopped = false;

  constructor(ledger: Outbox, log: (line: string) => void) {
    this.#ledger = ledger;
    this.#log = log;
  }

  /** From now on there is somebody to deliver to; what has waited is delivered at once. */
  connect(recipient: Recipient): void {
    this.#recipient = recipient;
    for (const event of Object.values(this.#ledger.records.outbox)) void this.#deliver(event, 0);
  }

  /** Makes an event of an object as it is now, and resolves when it has been offered once. */
  async send(type: string, object: object, account?: string): Promise<void> {
    const event = newEvent(type, object, account);
    this.#ledger.records.outbox[event.id] = event;
    this.#ledger.save();
    await this.#deliver(event, 0);
  }

  stop(): void {
    this.#stopped = true;
    for (const timer of this.#timers) clearTimeout(timer);
  }

  async #deliver(event: SandboxEvent, attempt: number): Promise<void> {
    if (this.#stopped || this.#recipient === undefined) return;
    const status = await this.#post(event, this.#recipient);
    // Its file may be gone by now; an event that was taken is delivered once more at the next start, as by Stripe.
    if (this.#stopped) return;
    if (status >= 200 && status < 300) {
      delete this.#ledger.records.outbox[event.id];
      this.#ledger.save();
      return;
    }
    this.#log(`payments: ${event.type} was answered with ${status === 0 ? 'nothing' : status}; trying again`);
    const timer = setTimeout(
      () => {
        this.#timers.delete(timer);
        void this.#deliver(event, attempt + 1);
      },
      RETRY_MS[Math.min(attempt, RETRY_MS.length - 1)],
    );
    timer.unref();
    this.#timers.add(timer);
  }

  /** The status, or 0 when there was no answer. */
  async #post(event: SandboxEvent, { url, secret }: Recipient): Promise<number> {
    const payload = JSON.stringify(event);
    const signature = this.#stripe.webhooks.generateTestHeaderString({ payload, secret });
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json; charset=utf-8', 'stripe-signature': signature },
        body: payload,
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      await response.arrayBuffer();
      return response.status;
    } catch {
      return 0;
    }
  }
}
