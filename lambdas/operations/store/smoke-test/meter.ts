/** The metrics of the scheduled smoke test. */
import { DIMENSIONS, METRICS } from '../../../platform/contract/metrics.ts';
import type { Measure } from '../../../platform/core/ports.ts';

/** Both metrics have a value at each step, so that the alarm has data where nothing fails. */
export const smokeMeter = (measure: Measure) => ({
  onStep(step: string, passed: boolean): void {
    measure({
      values: { [METRICS.smokeSucceeded]: Number(passed), [METRICS.smokeFailed]: Number(!passed) },
      dimensions: { [DIMENSIONS.step]: step },
    });
  },
  onNotConfigured: (): void => measure({ values: { [METRICS.smokeNotConfigured]: 1 } }),
});
