/** The bucket of recordings as `up` announces it and `down` empties it. */
import { NoSuchBucket } from '@aws-sdk/client-s3';
import { removeLeftObjects } from '../../lambdas/inference/store/recordings/left-recordings.ts';
import { createJobClient, createObjectClient } from '../../lambdas/inference/store/recordings/recordings.ts';
import { recordingsBucketName } from '../../lib/config/stage-names.ts';

/** The lines by which an operator learns that recordings are stored for the time of their calls. */
export const RECORDINGS_NOTICE = [
  'Amazon Transcribe reads recordings from S3: while a call lasts, its recording is in a private bucket of this account',
  'AWS may keep what it processes, unless the organization opts out (docs/security.md); to leave it out: --without transcribe',
] as const;

/** Deletes whatever is in the bucket: CloudFormation deletes an empty one only. Does nothing if there is none. */
export async function emptyRecordings(stage: string, accountId: string, region: string): Promise<void> {
  const clients = { objects: createObjectClient({ region }), jobs: createJobClient({ region }) };
  try {
    await removeLeftObjects(
      clients,
      recordingsBucketName(stage, accountId, region),
      Number.POSITIVE_INFINITY,
    );
  } catch (failure) {
    if (!(failure instanceof NoSuchBucket)) throw failure;
  } finally {
    for (const client of Object.values(clients)) client.destroy();
  }
}
