/** The scheduled smoke test: a few calls, as callers make them. A run in which one failed fails, which raises the alarm. */
import { parseCatalog } from '../../../inference/core/catalog/catalog-document.ts';
import type { Clock, Log } from '../../../platform/core/ports.ts';
import { healthCheck, scheduledChecksOf } from '../../core/smoke-test/calls.ts';
import {
  type Check,
  CheckFailure,
  type CheckResult,
  namesOf,
  runChecks,
} from '../../core/smoke-test/check.ts';
import type { SmokeClient } from '../../core/smoke-test/client.ts';
import { scheduledChoicesOf } from '../../core/smoke-test/plan.ts';

/** The result of a run without a failure: the names of the steps. */
export interface SmokeRun {
  readonly passed: readonly string[];
}

export interface RunSmokeDependencies {
  /** The models from the settings, separated by commas; undefined for the chat model with the lowest price. */
  readonly models: string | undefined;
  readonly readCatalog: () => Promise<{ readonly json: string } | undefined>;
  /** Undefined as long as no key was stored. */
  readonly openClient: () => Promise<SmokeClient | undefined>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Returns a run, which resolves with null as long as there is no key, and rejects with the steps that failed. */
export function runSmoke(dependencies: RunSmokeDependencies) {
  const { openClient, clock, log } = dependencies;
  return async (): Promise<SmokeRun | null> => {
    const client = await openClient();
    if (client === undefined) {
      log.info('no smoke test runs', { reason: 'no key has been stored' });
      return null;
    }
    const checks = [healthCheck(client), ...(await checksOf(dependencies, client))];
    const results = await runChecks(checks, clock, (result) => logResult(log, result));
    const failed = namesOf(results, 'failed');
    if (failed.length > 0) throw new Error(`the smoke test failed: ${failed.join(', ')}`);
    return { passed: namesOf(results, 'ok') };
  };
}

/** A catalog in which there is nothing to call is a step that fails. */
async function checksOf(
  { models, readCatalog }: RunSmokeDependencies,
  client: SmokeClient,
): Promise<readonly Check[]> {
  const stored = await readCatalog();
  try {
    if (stored === undefined) throw new Error('no catalog has been applied');
    const choices = scheduledChoicesOf(parseCatalog(JSON.parse(stored.json)), models?.split(','));
    return choices.flatMap((choice) => scheduledChecksOf(client, choice));
  } catch (failure) {
    const { message } = failure as Error;
    return [
      {
        name: 'catalog',
        async run() {
          throw new CheckFailure('nothing_to_call', message);
        },
      },
    ];
  }
}

/** Logs the result of a check. It omits the message of an error, because its author is unknown. */
function logResult(log: Log, { check, result, code, model, route, ms }: CheckResult): void {
  const fields = { step: check, model, route, ms };
  if (result === 'failed') log.warn('a smoke test failed', { ...fields, code });
  else log.info(result === 'ok' ? 'a smoke test passed' : 'a smoke test was skipped', fields);
}
