/**
 * The alarms of the nightly backups, if the settings have a vault for their copies. They read what AWS Backup counts of
 * all DynamoDB tables of the account in the region (AWS Backup developer guide, metrics with Amazon CloudWatch): which
 * vault a copy is counted by is not documented.
 */
import { Duration } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { type AlarmRow, each } from './watch.ts';

/** From one night's copy to the next, and two hours for those that last longer. */
const MAX_HOURS_WITHOUT_COPY = 26;

const jobs = (metricName: string) =>
  new Metric({
    namespace: 'AWS/Backup',
    metricName,
    dimensionsMap: { ResourceType: 'DynamoDB' },
    statistic: 'Sum',
    period: Duration.hours(1),
  });

const FAILURES = [
  { name: 'NumberOfBackupJobsFailed', label: 'backups' },
  { name: 'NumberOfCopyJobsFailed', label: 'copies' },
];

export const BACKUP_ALARMS: Readonly<Record<string, AlarmRow>> = {
  'backup-failed': {
    severity: 'warning',
    meaning: 'AWS Backup could not back up a table, or could not copy its backup to the other vault.',
    watches: ({ config }) =>
      config.backupCopies === undefined
        ? []
        : each(FAILURES)(({ name }) => ({ metric: jobs(name), threshold: 1 })),
  },
  'copy-missing': {
    severity: 'warning',
    meaning: 'No backup of a table has reached the other vault for 26 hours.',
    watches: ({ config }) =>
      config.backupCopies === undefined
        ? []
        : {
            metric: jobs('NumberOfCopyJobsCompleted'),
            threshold: 1,
            when: 'below',
            periods: { breaching: MAX_HOURS_WITHOUT_COPY, of: MAX_HOURS_WITHOUT_COPY },
          },
  },
};
