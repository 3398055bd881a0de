/** Behaviours chosen by the model's name, so that a catalog can hold a broken route without a control call. */
import type { Fault } from './fault.ts';

/** Seconds; a value tests can recognise. */
const RETRY_AFTER_SECONDS = 7;

function failure(status: number): Fault {
  const retryable = status === 429 || status === 503;
  return retryable ? { status, retry_after: RETRY_AFTER_SECONDS } : { status };
}

const PLAIN: Readonly<Record<string, Fault>> = {
  hang: { hang: true },
  'no-usage': { no_usage: true },
  garbage: { garbage: true },
  refusal: { refusal: true },
};

const NUMBERED: readonly (readonly [RegExp, (value: number) => Fault])[] = [
  [/^fail-([3-5]\d\d)$/u, failure],
  [/^slow-first-(\d{1,7})$/u, (delayMs) => ({ delay_ms: delayMs })],
  [/^cut-(\d{1,7})$/u, (chunks) => ({ cut_after_chunks: chunks })],
  [/^chunks-([1-9]\d{0,5})$/u, (chunks) => ({ content_chunks: chunks, chunk_delay_ms: 0 })],
];

/** The fault a model's name stands for; none for ordinary names. */
export function faultOfModelName(model: string | undefined): Fault {
  if (model === undefined) return {};
  for (const [pattern, toFault] of NUMBERED) {
    const digits = pattern.exec(model)?.[1];
    if (digits !== undefined) return toFault(Number.parseInt(digits, 10));
  }
  return Object.hasOwn(PLAIN, model) ? (PLAIN[model] ?? {}) : {};
}
