/**
 * The server that takes uploads of 25 MB if functions serve all other requests: the program in the bundle of the
 * transcription function.
 */
import { join } from 'node:path';
import { PolicyStatement, Role } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import type { Config } from '../../config/config.ts';
import { uploadServiceName } from '../../config/names.ts';
import type { Hosting } from '../hosting.ts';
import { serviceFor, tasksOf } from '../security/trust.ts';
import { HostFunction } from './host-function.ts';
import { HostService, STOP_TIMEOUT } from './host-service.ts';

/** The function whose endpoint it serves, and whose role it uses. */
const FUNCTION = 'create-transcription';

/** An environment has 512 MB of disk, and each upload up to 25 MB of it. */
const UPLOADS_AT_ONCE = 16;

/** One task that fails or is replaced leaves another; each takes about 25 uploads at once. */
const TASKS = { least: 2, most: 10 } as const;

/** Parsing and TLS to the routes are all of the work: a task is busy long before its memory is full. */
const SIZE = { cpu: 512, memoryMiB: 1024 } as const;
const TARGET_CPU_PERCENT = 60;

export interface UploadHostOptions {
  readonly config: Config;
  readonly bundles: string;
  /** The transcription function's own, so that both act in one role. */
  readonly hosting: Hosting;
}

export const uploadFunction = (scope: Construct, { bundles, hosting }: UploadHostOptions): HostFunction =>
  new HostFunction(scope, 'UploadHost', {
    program: join(bundles, FUNCTION),
    hosting,
    callsAtOnce: UPLOADS_AT_ONCE,
  });

export function uploadService(
  scope: Construct,
  { config, bundles, hosting }: UploadHostOptions,
): HostService {
  hosting.role.assumeRolePolicy?.addStatements(
    new PolicyStatement({
      actions: ['sts:AssumeRole'],
      principals: [serviceFor('ecs-tasks.amazonaws.com', tasksOf(scope))],
    }),
  );
  return new HostService(scope, 'UploadService', {
    name: uploadServiceName(config.stage),
    program: join(bundles, FUNCTION),
    hosting,
    role: Role.fromRoleArn(scope, 'UploadRole', hosting.role.roleArn, { mutable: false }),
    logPrefix: 'uploads',
    size: SIZE,
    tasks: TASKS,
    zones: config.availabilityZones,
    draining: STOP_TIMEOUT,
    scale: (count) => count.scaleOnCpuUtilization('Cpu', { targetUtilizationPercent: TARGET_CPU_PERCENT }),
  });
}
