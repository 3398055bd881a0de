/** The names under which the operator's tools find a deployment's resources, as its functions would. */
import { outputName, SECRET_VARIABLES } from '../lambdas/contract/environment.ts';
import { TABLES } from '../lambdas/contract/tables.ts';
import type { Assembly } from './assembly/assembly.ts';

/**
 * Every variable of the functions (one that differs between them is left out), the overrides, and the tables and
 * secrets that no function has been granted, from the stacks' outputs.
 */
export function deploymentEnvironment(
  { functions, outputs }: Assembly,
  overrides: Readonly<Record<string, string>>,
): Record<string, string> {
  const values = new Map<string, Set<string>>();
  for (const [name, value] of functions.flatMap(({ environment }) => Object.entries(environment))) {
    values.set(name, (values.get(name) ?? new Set()).add(value));
  }
  const agreed = [...values].flatMap(([name, [value = '', ...others]]) =>
    others.length === 0 ? [[name, value]] : [],
  );
  const variables = [...SECRET_VARIABLES, ...Object.values(TABLES).map(({ variable }) => variable)];
  const named = variables
    .map((variable) => [variable, outputs[outputName(variable)]])
    .filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(named), ...Object.fromEntries(agreed), ...overrides };
}
