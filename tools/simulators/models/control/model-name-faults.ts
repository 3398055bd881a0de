/** Behaviours chosen by the model's name, so that a catalog can hold a broken route without a control call. */
import type { Fault } from './fault.ts';

/** The fault of a name; `value` is the number that the name ends in. */
const FAULTS: readonly (readonly [RegExp, (value: number) => Fault])[] = [
  [/^fail-(429|503)$/u, (status) => ({ status, headers: { 'retry-after': '7' } })],
  [/^fail-([3-5]\d\d)$/u, (status) => ({ status })],
  [/^slow-first-(\d{1,7})$/u, (delayMs) => ({ delay_ms: delayMs })],
  [/^cut-(\d{1,7})$/u, (chunks) => ({ cut_after_chunks: chunks })],
  [/^hang$/u, () => ({ hang: true })],
  [/^garbage$/u, () => ({ garbage: true })],
];

/** The fault that a model's name asks for; none for ordinary names. */
export function faultOfModelName(model = ''): Fault {
  const [pattern, toFault] = FAULTS.find(([each]) => each.test(model)) ?? [];
  return toFault?.(Number(pattern?.exec(model)?.[1])) ?? {};
}
