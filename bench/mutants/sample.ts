/** A sample that a seed decides: the same seed takes the same members of the same list. */
import { seededChance } from '../tokens/families.ts';

/** Takes as many of each group, as far as there are, so that a large folder does not push out a small one. */
export function sample<T>(
  all: readonly T[],
  groupOf: (member: T) => string,
  { seed, count }: { readonly seed: number; readonly count: number },
): T[] {
  const random = seededChance(seed);
  const groups = Object.values(Object.groupBy(shuffled(all, random), groupOf)) as T[][];
  const taken: T[] = [];
  for (let round = 0; taken.length < count && groups.some((group) => round < group.length); round += 1) {
    taken.push(...groups.flatMap((group) => group.slice(round, round + 1)));
  }
  return taken.slice(0, count);
}

function shuffled<T>(all: readonly T[], random: () => number): T[] {
  return all
    .map((member) => [random(), member] as const)
    .sort(([a], [b]) => a - b)
    .map(([, member]) => member);
}
