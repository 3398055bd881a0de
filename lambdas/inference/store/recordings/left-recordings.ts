/** The objects and the jobs that calls have left, by their age. */
import { paginateListObjectsV2 } from '@aws-sdk/client-s3';
import { paginateListTranscriptionJobs } from '@aws-sdk/client-transcribe';
import { STREAM_TIMEOUT_SECONDS } from '../../../platform/contract/environment.ts';
import { jobPrefix, type RecordingClients, removeJob, removeObjects } from './recordings.ts';

/**
 * The age of what no call can still use. A call lasts 15 minutes at most, on functions and on shared hosts, and clocks
 * may differ by five.
 */
export const MIN_AGE_MS = (STREAM_TIMEOUT_SECONDS + 300) * 1000;

/** Deletes the objects of the bucket that are of that age; returns their number. */
export async function removeLeftObjects(
  { objects: client }: RecordingClients,
  bucket: string,
  nowMs: number,
): Promise<number> {
  let removed = 0;
  for await (const { Contents: page = [] } of paginateListObjectsV2({ client }, { Bucket: bucket })) {
    const old = page.filter(({ LastModified: at }) => at !== undefined && at.getTime() < nowMs - MIN_AGE_MS);
    const keys = old.flatMap(({ Key: key }) => (key === undefined ? [] : [key]));
    if (keys.length > 0) await removeObjects(client, bucket, keys);
    removed += keys.length;
  }
  return removed;
}

/**
 * Deletes the jobs that have ended and are of that age; returns their number. Throws the first failure after
 * it has tried all of them.
 */
export async function removeLeftJobs(
  { jobs: client }: RecordingClients,
  bucket: string,
  nowMs: number,
): Promise<number> {
  const prefix = jobPrefix(bucket);
  const names: string[] = [];
  const pages = paginateListTranscriptionJobs({ client, pageSize: 100 }, { JobNameContains: prefix });
  for await (const { TranscriptionJobSummaries: page = [] } of pages)
    for (const { TranscriptionJobName: name, TranscriptionJobStatus: status, CreationTime: at } of page) {
      const hasEnded = status === 'COMPLETED' || status === 'FAILED';
      if (name?.startsWith(prefix) && hasEnded && at !== undefined && at.getTime() < nowMs - MIN_AGE_MS)
        names.push(name);
    }
  let failure: unknown;
  for (const name of names)
    await removeJob(client, name).catch((thrown: unknown) => {
      failure ??= thrown;
    });
  if (failure !== undefined) throw failure;
  return names.length;
}
