/** Finds the one thing to complain about among the issues a schema has with a request. */
import type { z } from 'zod';

export type Issue = z.core.$ZodIssue;

export interface Finding {
  readonly issue: Issue;
  readonly path: readonly PropertyKey[];
  /** What stands at the path. */
  readonly value: unknown;
}

export function valueAt(body: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (value as Record<PropertyKey, unknown> | null | undefined)?.[key],
    body,
  );
}

/** Of a union without a discriminator, the issue inside the branch that got furthest; the union's own when none did. */
function deepest(issue: Issue, prefix: readonly PropertyKey[], body: unknown): Finding {
  const path = [...prefix, ...issue.path];
  const value = valueAt(body, path);
  const inner =
    issue.code === 'invalid_union' && value !== undefined
      ? issue.errors.flat().find((candidate) => candidate.path.length > 0)
      : undefined;
  return inner === undefined ? { issue, path, value } : deepest(inner, path, body);
}

/** The first thing wrong with `body`. */
export function firstIssue(error: z.ZodError, body: unknown): Finding {
  const [first] = error.issues;
  if (first === undefined) throw new Error('an error without issues');
  return deepest(first, [], body);
}
