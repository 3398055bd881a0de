/** Interleaves what a stream tells in parallel: the choices of one answer, or its tool calls. */

/** Takes one item of each iterable in turn until all have ended. */
export function* inTurns<T>(iterables: readonly Iterable<T>[]): Generator<T> {
  let iterators = iterables.map((iterable) => iterable[Symbol.iterator]());
  while (iterators.length > 0) {
    const results = iterators.map((iterator) => ({ iterator, result: iterator.next() }));
    for (const { result } of results) if (result.done !== true) yield result.value;
    iterators = results.filter(({ result }) => result.done !== true).map(({ iterator }) => iterator);
  }
}
