/** What a person reads of a check. */
import type { CheckResult } from '../../lambdas/core/inference/kinds/smoke/check.ts';

/** A line for a person: `failed   images      412 ms  sim/image  all_routes_failed: ...`. */
export function lineOf({ check, result, ms, model, route, code, note }: CheckResult): string {
  const served = route === undefined ? model : `${model} by ${route}`;
  const said = code === undefined ? note : `${code}: ${note}`;
  const head = `${result.padEnd(8)} ${check.padEnd(16)} ${String(ms).padStart(6)} ms`;
  return [head, served, said].filter((part) => part !== undefined).join('  ');
}
