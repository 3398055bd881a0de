/**
 * Idempotency keys and faults of the API (Stripe API reference, Idempotent requests; Error handling): the first response
 * of a key is stored for an account, errors included, and forgotten after a day.
 */
import type { PaymentLedger } from './books.ts';
import { SandboxError } from './errors.ts';

const KEY_SECONDS = 86_400;

/** A failure of the next request of its target. `late`: the effect comes after the response was lost. */
export type ApiFault = 'lost before' | 'lost after' | 'late' | 'stored 500' | 'conflict' | 'rate limit';

/** The connection closes without a response. */
export class LostResponse extends Error {
  constructor() {
    super('the response is lost');
    this.name = 'LostResponse';
  }
}

interface KeyedCall {
  readonly account: string | undefined;
  readonly key: string;
  readonly request: string;
  readonly fault: ApiFault | undefined;
}

export interface StoredAnswer {
  readonly request: string;
  readonly created: number;
  readonly status: number;
  readonly answer: object;
}

const LATE_MS = 200;

export async function once(
  ledger: PaymentLedger<{ readonly answers: Record<string, StoredAnswer> }>,
  { account = '', key, request, fault }: KeyedCall,
  respond: () => Promise<object>,
): Promise<object> {
  if (fault === 'lost before') throw new LostResponse();
  if (fault === 'rate limit') throw new SandboxError(429, 'Too many requests.', 'rate_limit');
  if (fault === 'conflict')
    throw new SandboxError(409, 'Another request has this key.', 'idempotency_key_in_use');
  const place = `${account} ${key}`;
  const perform = async (): Promise<StoredAnswer> => {
    const stored = ledger.records.answers[place];
    if (stored !== undefined && stored.created + KEY_SECONDS > ledger.nowSeconds) {
      if (stored.request === request) return stored;
      throw new SandboxError(
        400,
        'Keys for idempotent requests can only be used with the same parameters.',
        undefined,
        'idempotency_error',
      );
    }
    const outcome =
      fault === 'stored 500'
        ? { status: 500, answer: new SandboxError(500, 'An unknown error occurred.').body }
        : await outcomeOf(respond);
    const answer: StoredAnswer = { request, created: ledger.nowSeconds, ...outcome };
    ledger.records.answers[place] = answer;
    ledger.save();
    return answer;
  };
  if (fault === 'late') {
    ledger.time.after(LATE_MS, () => void perform().catch(() => undefined));
    throw new LostResponse();
  }
  const { status, answer } = await perform();
  if (fault === 'lost after') throw new LostResponse();
  if (status === 200) return answer;
  throw SandboxError.of(status, answer);
}

async function outcomeOf(respond: () => Promise<object>) {
  try {
    return { status: 200, answer: structuredClone(await respond()) };
  } catch (failure) {
    if (!(failure instanceof SandboxError)) throw failure;
    return { status: failure.status, answer: failure.body };
  }
}
