/** The alarms of the programs that listen by themselves: the shared host, and the host of uploads. */
import type { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { DEFAULT_OPEN_CALLS } from '../../lambdas/platform/contract/inference-host.ts';
import { METRICS } from '../../lambdas/platform/contract/metrics.ts';
import { type Config, hostTasksOf } from '../config/config.ts';
import { hostServiceName, uploadServiceName } from '../config/names.ts';
import { runningTasks, serviceMetric } from './metrics.ts';
import type { WatchedSystem } from './system.ts';
import type { AlarmRow } from './watch.ts';

/** A quarter of an hour: a deployment or a jump in load ends sooner. */
const LASTING = { breaching: 3, of: 3 };

const uploadService = ({ stage, compute, ingress }: Config): readonly WatchedSystem[] =>
  compute === 'lambda' && ingress === 'fargate'
    ? [{ name: uploadServiceName(stage), label: 'tasks that take uploads' }]
    : [];

const hostService = ({ stage, compute }: Config): readonly WatchedSystem[] =>
  compute === 'fargate' ? [{ name: hostServiceName(stage), label: 'tasks of the shared host' }] : [];

/** The most calls that a process had open. */
const openCalls = (config: Config): readonly Metric[] =>
  config.compute === 'lambda'
    ? []
    : [serviceMetric(config, METRICS.openCalls, { statistic: 'Maximum', label: 'open calls of a process' })];

/** Tasks that run, and calls that they have open, where the settings have a host. */
export const hostLoad = (config: Config): readonly Metric[] => [
  ...[...uploadService(config), ...hostService(config)].map((service) => runningTasks(service, 'Minimum')),
  ...openCalls(config),
];

export const HOST_ALARMS: Readonly<Record<string, AlarmRow>> = {
  'upload-tasks-missing': {
    severity: 'critical',
    meaning: 'No task takes uploads; transcriptions fail at the edge.',
    watches: ({ config }) =>
      uploadService(config).map((service) => ({
        metric: runningTasks(service, 'Minimum'),
        threshold: 1,
        when: 'below' as const,
      })),
  },
  'host-tasks-missing': {
    severity: 'critical',
    meaning: 'No task serves the inference API; its calls fail at the edge.',
    watches: ({ config }) =>
      hostService(config).map((service) => ({
        metric: runningTasks(service, 'Minimum'),
        threshold: 1,
        when: 'below' as const,
      })),
  },
  'host-tasks-few': {
    severity: 'warning',
    meaning:
      'Fewer tasks of the shared host run than the settings ask for: they fail, or there is no capacity.',
    watches: ({ config }) =>
      hostService(config).map((service) => ({
        metric: runningTasks(service, 'Maximum'),
        threshold: hostTasksOf(config).least,
        when: 'below' as const,
        periods: LASTING,
      })),
  },
  'host-tasks-at-most': {
    severity: 'warning',
    meaning: 'As many tasks of the shared host run as the settings allow.',
    watches: ({ config }) =>
      hostService(config).map((service) => ({
        metric: runningTasks(service, 'Minimum'),
        threshold: hostTasksOf(config).most,
        periods: LASTING,
      })),
  },
  'host-open-calls': {
    severity: 'warning',
    meaning: 'A process of the shared host has nine tenths of the calls open that it takes.',
    watches: ({ config }) =>
      openCalls(config).map((metric) => ({ metric, threshold: 0.9 * DEFAULT_OPEN_CALLS })),
  },
};
