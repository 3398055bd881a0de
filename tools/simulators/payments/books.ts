/** The state of the sandbox: checkouts, payments, refunds, disputes and undelivered events; stored in a file. */
import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';

/** A checkout session (Stripe API reference, The Checkout Session object). */
export interface CheckoutSession {
  readonly id: string;
  readonly object: 'checkout.session';
  readonly mode: 'payment';
  status: 'open' | 'complete' | 'expired';
  payment_status: 'unpaid' | 'paid';
  readonly amount_subtotal: number;
  readonly amount_total: number;
  readonly currency: string;
  readonly client_reference_id: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  payment_intent: string | null;
  url: string | null;
  readonly success_url: string;
  readonly cancel_url: string | null;
  readonly created: number;
  readonly expires_at: number;
  readonly livemode: false;
}

export interface PaymentIntent {
  readonly id: string;
  readonly object: 'payment_intent';
  readonly amount: number;
  readonly currency: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly status: 'succeeded';
  readonly latest_charge: string;
  readonly created: number;
  readonly livemode: false;
}

/** A refund or a dispute: money that goes back to the payer. */
export interface SimulatedReversal {
  readonly id: string;
  readonly object: 'refund' | 'dispute';
  readonly amount: number;
  readonly currency: string;
  readonly payment_intent: string;
  readonly charge: string;
  status: string;
  readonly created: number;
  readonly metadata: Readonly<Record<string, string>>;
}

export interface SandboxEvent {
  readonly id: string;
  readonly object: 'event';
  readonly type: string;
  readonly created: number;
  readonly data: { readonly object: object };
  readonly livemode: false;
}

interface Records {
  readonly sessions: Record<string, CheckoutSession>;
  /** The metadata that a session's payment will have. */
  readonly intentMetadata: Record<string, Readonly<Record<string, string>>>;
  readonly intents: Record<string, PaymentIntent>;
  readonly reversals: Record<string, SimulatedReversal>;
  /** Answers by idempotency key. */
  readonly answers: Record<string, { readonly request: string; readonly answer: object }>;
  readonly outbox: Record<string, SandboxEvent>;
}

const EMPTY: Records = {
  sessions: {},
  intentMetadata: {},
  intents: {},
  reversals: {},
  answers: {},
  outbox: {},
};

export const newId = (prefix: string): string => `${prefix}_${randomBytes(12).toString('hex')}`;

export const nowSeconds = (): number => Math.floor(Date.now() / 1000);

export class PaymentLedger {
  readonly records: Records;
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
    this.records = { ...EMPTY, ...readRecords(file) };
  }

  /** Writes everything down; to be called after each change. */
  save(): void {
    const temporary = `${this.#file}.${process.pid}`;
    writeFileSync(temporary, JSON.stringify(this.records), { mode: 0o600 });
    renameSync(temporary, this.#file);
  }
}

function readRecords(file: string): Partial<Records> {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Partial<Records>;
  } catch (failure) {
    if ((failure as NodeJS.ErrnoException).code === 'ENOENT') return structuredClone(EMPTY);
    throw new Error(`${file} is not JSON`, { cause: failure });
  }
}
