/** The parts of a row of the registry of alarms. */
import { ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import type { System, WatchedSystem } from './system.ts';

/** `critical`: callers are failing or money is wrong, page someone. `warning`: investigate within a working day. */
export type Severity = 'critical' | 'warning';

/** The metric of one alarm, and the condition that raises it. */
export interface Watch {
  readonly metric: IMetric;
  readonly threshold: number;
  /** The resource that it watches, if a row has several. */
  readonly subject?: WatchedSystem;
  /** The number of the last periods that must be over the threshold; 1 of 1 by default. */
  readonly periods?: { readonly breaching: number; readonly of: number };
  /** Raised at the threshold and above by default, or below it; then a metric without a value is below it too. */
  readonly when?: 'reached' | 'below';
  /**
   * Set for a metric that is reported at regular intervals: its silence is reported too. CloudWatch then has no data
   * for the alarm. A new alarm starts in that state, so nothing is sent before the first value.
   */
  readonly silence?: 'reported once it has spoken';
}

export interface AlarmRow {
  readonly severity: Severity;
  /** One sentence, for the mail. */
  readonly meaning: string;
  readonly watches: (system: System) => Watch | readonly Watch[];
}

/** Raised by the first. */
export const once = (metric: IMetric): Watch => ({ metric, threshold: 1 });

/** A watch for each of the subjects. */
export const each =
  <T extends WatchedSystem>(subjects: readonly T[]) =>
  (watch: (subject: T) => Omit<Watch, 'subject'>): readonly Watch[] =>
    subjects.map((subject) => ({ subject, ...watch(subject) }));

/** CloudWatch's terms for a watch. */
export const evaluationOf = ({ when = 'reached', silence, periods = { breaching: 1, of: 1 } }: Watch) => ({
  comparisonOperator:
    when === 'below'
      ? ComparisonOperator.LESS_THAN_THRESHOLD
      : ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
  treatMissingData: missingDataOf(when, silence),
  evaluationPeriods: periods.of,
  datapointsToAlarm: periods.breaching,
});

function missingDataOf(when: Watch['when'], silence: Watch['silence']): TreatMissingData {
  if (silence !== undefined) return TreatMissingData.MISSING;
  return when === 'below' ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING;
}
