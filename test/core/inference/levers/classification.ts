/** Whether every field of a schema is decided: a lever of the table, or a field that no price depends on. */
import { type LeverTable, patternsOf } from '../../../../lambdas/core/inference/levers/table.ts';
import type { RequestField } from './schemas/request-fields.ts';

/**
 * Why a field is no lever. `prompt`: it is read as prompt, and counts within the prompt's bound. `setting`: it changes
 * nothing of the charge. `output`: what it changes is bounded by the output's bound. `service`: it is never forwarded.
 */
export type Reason = 'prompt' | 'setting' | 'output' | 'service';

/** Names of fields by the interface that declares them, `*` for all of one that is nothing but content. */
export type Decisions = Readonly<Record<string, Readonly<Partial<Record<Reason, string>>>>>;

export interface Classification {
  /** Fields that nobody has decided on. */
  readonly undecided: readonly string[];
  /** Decided fields that the schema does not have any more. */
  readonly gone: readonly string[];
  /** Patterns of the table that lead to no field of the schema; those of hosts must not lead to any. */
  readonly astray: readonly string[];
}

const ALL = '*';

/** A pattern reads one element without its array as well, and all that a field holds. */
const matcherOf = (pattern: string): RegExp =>
  new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('[]', '(\\[\\])?')}(?![\\w])`);

export function classify(
  fields: readonly RequestField[],
  table: LeverTable,
  decisions: Decisions,
): Classification {
  const patterns = table.levers.flatMap((lever) =>
    patternsOf(lever)
      // What reads the fields that have no pattern decides on none of them.
      .filter((pattern) => !pattern.endsWith(ALL))
      .map((pattern) => ({ pattern, hosts: lever.hosts, matches: matcherOf(pattern) })),
  );
  const isLever = ({ path }: RequestField) => patterns.some(({ matches }) => matches.test(path));
  const [levers, others] = [fields.filter(isLever), fields.filter((field) => !isLever(field))];
  const namesOfLevers = new Set(levers.map(nameOf));
  const decided = decidedNames(decisions);
  const isDecided = (field: RequestField) =>
    decided.has(nameOf(field)) ||
    // A field that is a lever at one place of a request is one at every place, if nobody says otherwise by its name.
    (decided.has(`${field.owner}.${ALL}`) && !namesOfLevers.has(nameOf(field)));
  const existing = new Set(others.flatMap((field) => [nameOf(field), `${field.owner}.${ALL}`]));
  return {
    undecided: [...new Set(others.filter((field) => !isDecided(field)).map(nameAndPath))],
    gone: [...decided].filter((name) => !existing.has(name)),
    astray: patterns
      .filter(({ matches, hosts }) => fields.some(({ path }) => matches.test(path)) !== (hosts === undefined))
      .map(({ pattern }) => pattern),
  };
}

const nameOf = ({ owner, name }: RequestField): string => `${owner}.${name}`;
const nameAndPath = (field: RequestField): string => `${nameOf(field)} at ${field.path}`;

/** Throws for a field that is decided twice. */
function decidedNames(decisions: Decisions): ReadonlySet<string> {
  const names = Object.entries(decisions).flatMap(([owners, reasons]) =>
    owners
      .split(' ')
      .flatMap((owner) =>
        Object.values(reasons).flatMap((list) => list.split(' ').map((name) => `${owner}.${name}`)),
      ),
  );
  const twice = names.filter((name, index) => names.indexOf(name) !== index);
  if (twice.length > 0) throw new Error(`decided twice: ${twice.join(', ')}`);
  return new Set(names);
}
