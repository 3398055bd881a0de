/** The content blocks of an answer, and the order in which a stream sends what is parallel. */
import type { ModelChoice, ModelToolCall } from '../model/model.ts';
import { identifierFrom } from '../model/random.ts';
import { tokenPieces } from '../model/tokens.ts';

/** `text` is the thought, the text, or the arguments of the call. */
export type AnswerBlock =
  | { readonly kind: 'thinking'; readonly text: string }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'call'; readonly text: string; readonly call: ModelToolCall };

/** The blocks of an answer, in order; an empty text has no block. */
export function blocksOf({ thinking, text = '', toolCalls }: ModelChoice): AnswerBlock[] {
  return [
    ...(thinking === undefined ? [] : [{ kind: 'thinking' as const, text: thinking }]),
    ...(text === '' ? [] : [{ kind: 'text' as const, text }]),
    ...toolCalls.map((call) => ({ kind: 'call' as const, text: call.arguments, call })),
  ];
}

/** The pieces of a block. Arguments begin with an empty one, which is all that a call without arguments has. */
export function* piecesOf({ kind, text }: AnswerBlock): Generator<string> {
  if (kind === 'call') yield '';
  if (kind !== 'call' || text !== '{}') yield* tokenPieces(text);
}

const SIGNATURE_LENGTH = 43;

/** The signature under a thought, by which its provider recognises it. */
export const signatureOf = (thinking: string): string =>
  `Eq${identifierFrom(`signature of ${thinking}`, SIGNATURE_LENGTH)}==`;

/** Takes one item of each iterable in turn until all have ended. */
export function* inTurns<T>(iterables: readonly Iterable<T>[]): Generator<T> {
  let iterators = iterables.map((iterable) => iterable[Symbol.iterator]());
  while (iterators.length > 0) {
    const results = iterators.map((iterator) => ({ iterator, result: iterator.next() }));
    for (const { result } of results) if (result.done !== true) yield result.value;
    iterators = results.filter(({ result }) => result.done !== true).map(({ iterator }) => iterator);
  }
}

/** What opens a block, what it says piece by piece, and what closes it. */
export interface StreamedBlock<T> {
  readonly start: readonly T[];
  readonly deltas: Iterable<T>;
  readonly stop: T;
}

/** One block after the other, or all of them open at once and their pieces in turns. */
export function* blockEvents<T>(blocks: readonly StreamedBlock<T>[], interleave: boolean): Generator<T> {
  for (const { start, deltas, stop } of interleave ? [] : blocks) {
    yield* start;
    yield* deltas;
    yield stop;
  }
  if (!interleave) return;
  yield* blocks.flatMap(({ start }) => start);
  yield* inTurns(blocks.map(({ deltas }) => deltas));
  yield* blocks.map(({ stop }) => stop);
}
