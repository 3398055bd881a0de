/** A sample that a seed decides: the same seed takes the same members of the same list. */
import { createHash } from 'node:crypto';

/**
 * Takes as many of each group, as far as there are, so that a large folder does not push out a small one. A member's
 * place in the order is its own, so that one more or one less changes nothing for the others.
 */
export function sample<T>(
  all: readonly T[],
  { idOf, groupOf }: { readonly idOf: (member: T) => string; readonly groupOf: (member: T) => string },
  { seed, count }: { readonly seed: number; readonly count: number },
): T[] {
  const shuffled = all
    .map((member) => [digestOf(`${seed} ${idOf(member)}`), member] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, member]) => member);
  const groups = Object.values(Object.groupBy(shuffled, groupOf)) as T[][];
  const sampled: T[] = [];
  for (let round = 0; sampled.length < count && groups.some((group) => round < group.length); round += 1) {
    sampled.push(...groups.flatMap((group) => group.slice(round, round + 1)));
  }
  return sampled.slice(0, count);
}

/** 16 hexadecimal digits. */
export const digestOf = (text: string): string =>
  createHash('sha256').update(text).digest('hex').slice(0, 16);
