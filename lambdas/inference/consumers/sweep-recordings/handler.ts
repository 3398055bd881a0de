/** Wires the scheduled removal of recordings for Lambda. It reads no table, and runs while the service is closed. */
import { requireVariable, VARIABLES } from '../../../platform/contract/environment.ts';
import { METRICS } from '../../../platform/contract/metrics.ts';
import { createResources } from '../../../platform/handlers/resources.ts';
import { consumer } from '../../../platform/http/consumers.ts';
import { createMeasure } from '../../../platform/system/metrics.ts';
import { removeLeftJobs, removeLeftObjects } from '../../store/recordings/left-recordings.ts';
import { createJobClient, createObjectClient } from '../../store/recordings/recordings.ts';
import { sweepRecordings } from './consumer.ts';

const resources = createResources();
const measure = createMeasure();
const bucket = requireVariable(resources.environment, VARIABLES.recordingsBucket);
const clients = { objects: createObjectClient(), jobs: createJobClient() };

export const handler = consumer(
  sweepRecordings({
    ...resources,
    objects: (nowMs) => removeLeftObjects(clients, bucket, nowMs),
    jobs: (nowMs) => removeLeftJobs(clients, bucket, nowMs),
    onSwept: (count) => measure({ values: { [METRICS.recordingsSwept]: count } }),
  }),
);
