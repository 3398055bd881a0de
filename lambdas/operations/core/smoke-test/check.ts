/** One check of a running service: what is reported of it, and how long it took. */
import type { Clock } from '../../../platform/core/ports.ts';

/** The details of a passed check, in a few words. */
export interface CheckDetails {
  /** The called model, for checks of one. */
  readonly model?: string | undefined;
  /** The route that was used. */
  readonly route?: string | undefined;
  readonly note?: string | undefined;
}

export interface CheckResult extends CheckDetails {
  readonly check: string;
  /** `skipped`: there is nothing to check in this deployment; `note` contains the reason. */
  readonly result: 'ok' | 'failed' | 'skipped';
  /**
   * The code of an error that the service returned. `no_answer`: there was no response. `unexpected`: another response.
   */
  readonly code?: string;
  readonly ms: number;
}

/** The reason why a check failed, with the service's code if it returned an error. */
export class CheckFailure extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** Thrown by a check that has nothing to check. */
export class CheckSkip extends Error {}

/** Throws if the service returned an unexpected response. */
export function expectThat(holds: boolean, message: string): asserts holds {
  if (!holds) throw new CheckFailure('unexpected', message);
}

export interface Check {
  readonly name: string;
  readonly model?: string | undefined;
  run(): Promise<CheckDetails>;
}

/** Runs checks one after the other, each whatever became of those before it; `report` receives each result at once. */
export async function runChecks(
  checks: readonly Check[],
  clock: Clock,
  report: (result: CheckResult) => void,
): Promise<readonly CheckResult[]> {
  const results: CheckResult[] = [];
  for (const { name, model, run } of checks) {
    const startedMs = clock();
    const outcome = await run().then((details) => ({ result: 'ok' as const, ...details }), outcomeOf);
    const ms = clock() - startedMs;
    const result = { check: name, ms, ...(model === undefined ? {} : { model }), ...outcome };
    results.push(result);
    report(result);
  }
  return results;
}

export const namesOf = (results: readonly CheckResult[], result: CheckResult['result']): readonly string[] =>
  results.filter((each) => each.result === result).map(({ check }) => check);

function outcomeOf(failure: unknown): Pick<CheckResult, 'result' | 'code' | 'note'> {
  if (failure instanceof CheckSkip) return { result: 'skipped', note: failure.message };
  const code = failure instanceof CheckFailure ? failure.code : 'unexpected';
  return { result: 'failed', code, note: failure instanceof Error ? failure.message : String(failure) };
}
