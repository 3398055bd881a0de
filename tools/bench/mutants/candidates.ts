/** The mutants that a sample is drawn from. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { areaOf, EXCLUDED, isOutOfSight } from './areas.ts';
import { equivalenceOf } from './known.ts';
import { type Mutant, mutantsOf } from './operators.ts';
import { digestOf } from './sample.ts';

export interface MutantCandidate extends Mutant {
  readonly path: string;
  /** The same wherever its line stands: of the module, the mistake, and which one of the same mistakes it is. */
  readonly id: string;
}

export const areaName = ({ path }: Pick<MutantCandidate, 'path'>): string => areaOf(path)?.name ?? path;

/** Every mutant of the critical folders, or of the paths that are given, that is not known to make no difference. */
export const candidatesIn = (
  root: string,
  modules: readonly string[],
  paths: readonly string[],
): MutantCandidate[] =>
  modules
    .filter((path) => !EXCLUDED.test(path) && !/\.test\.ts$|\/testing\//.test(path))
    .filter((path) =>
      paths.length === 0 ? areaOf(path) !== undefined : paths.some((prefix) => path.startsWith(prefix)),
    )
    .flatMap((path) => {
      const text = readFileSync(join(root, path), 'utf8');
      return identified(path, mutantsOf(text)).filter(
        (candidate) => equivalenceOf(path, text, candidate) === undefined && !isOutOfSight(path, candidate),
      );
    });

function identified(path: string, mutants: readonly Mutant[]): MutantCandidate[] {
  const occurrences = new Map<string, number>();
  return mutants.map((mutant) => {
    const name = `${path} ${mutant.operator}: ${mutant.original} -> ${mutant.replacement}`;
    const before = occurrences.get(name) ?? 0;
    occurrences.set(name, before + 1);
    return { ...mutant, path, id: digestOf(`${name} ${before}`) };
  });
}
