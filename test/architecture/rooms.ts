/** The rooms of the house: which files and folders stand side by side, and how they depend on one another. */
import { posix } from 'node:path';
import { type Module, targetOf } from './source-tree.ts';

/** An import of one module by another, as repository paths. */
export type Arrow = readonly [from: string, to: string];

/** Every import between modules, type-only ones too. */
export const arrowsOf = (modules: readonly Module[]): Arrow[] =>
  modules.flatMap((module) =>
    module.imports.flatMap((imported) => {
      const target = targetOf(module, imported);
      return target === undefined ? [] : [[module.path, target] as const];
    }),
  );

/** The names directly in each folder above a path; the root is the empty name. */
export function roomsOf(paths: readonly string[]): ReadonlyMap<string, ReadonlySet<string>> {
  const rooms = new Map<string, Set<string>>();
  for (const path of paths) {
    for (let parentRoom = path; parentRoom !== '.'; parentRoom = posix.dirname(parentRoom)) {
      const parent = posix.dirname(parentRoom);
      const folder = parent === '.' ? '' : parent;
      rooms.set(folder, (rooms.get(folder) ?? new Set()).add(posix.basename(parentRoom)));
    }
  }
  return rooms;
}

/** The arrows between the rooms of one folder. */
export function arrowsWithin(folder: string, arrows: readonly Arrow[]): Arrow[] {
  const prefix = folder === '' ? '' : `${folder}/`;
  const roomOf = (path: string) =>
    path.startsWith(prefix) ? path.slice(prefix.length).split('/')[0] : undefined;
  return arrows.flatMap(([from, to]) => {
    const [a, b] = [roomOf(from), roomOf(to)];
    return a === undefined || b === undefined || a === b ? [] : [[a, b] as const];
  });
}

/** A circle of arrows, as the names along it; undefined when there is none, so that every arrow points down. */
export function circleIn(arrows: readonly Arrow[]): readonly string[] | undefined {
  const next = new Map<string, Set<string>>();
  for (const [from, to] of arrows) next.set(from, (next.get(from) ?? new Set()).add(to));
  const done = new Set<string>();
  const visit = (name: string, trail: readonly string[]): readonly string[] | undefined => {
    if (trail.includes(name)) return [...trail.slice(trail.indexOf(name)), name];
    if (done.has(name)) return undefined;
    for (const to of next.get(name) ?? []) {
      const circle = visit(to, [...trail, name]);
      if (circle !== undefined) return circle;
    }
    done.add(name);
    return undefined;
  };
  for (const name of next.keys()) {
    const circle = visit(name, []);
    if (circle !== undefined) return circle;
  }
  return undefined;
}
