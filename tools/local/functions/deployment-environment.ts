/** The names under which the operator's tools find a deployment's resources, as its functions would. */
import { outputName } from '../../../lambdas/platform/contract/environment.ts';
import { OPERATED } from '../../../operator/target.ts';
import type { Assembly } from '../assembly/assembly.ts';

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
  const agreed = [...values].flatMap(([name, [value = '', ...otherValues]]) =>
    otherValues.length === 0 ? [[name, value]] : [],
  );
  const named = Object.values(OPERATED)
    .flat()
    .map((variable) => [variable, outputs[outputName(variable)]])
    .filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(named), ...Object.fromEntries(agreed), ...overrides };
}
