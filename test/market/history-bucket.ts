/** A bucket of builds: the local S3, which verifies signatures and checksums, behind the service's own client. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BucketFiles, createFileClient } from '../../lambdas/marketplace/store/builds/build-files.ts';
import { createObjectStore } from '../../tools/local/aws/builds/object-store.ts';
import { createS3Service } from '../../tools/local/aws/builds/s3-service.ts';
import { startAwsEndpoint } from '../../tools/local/aws/endpoint.ts';

const NAME = 'builds';

export interface HistoryBucket {
  readonly files: BucketFiles;
  stop(): Promise<void>;
}

export async function startBucket(): Promise<HistoryBucket> {
  const folder = await mkdtemp(join(tmpdir(), 'market-builds-'));
  const authorizeAs = () => () => {};
  const s3 = createS3Service({
    buckets: [{ name: NAME, arn: `arn:aws:s3:::${NAME}`, notifies: false, statements: [], cors: [] }],
    objects: createObjectStore(folder),
    authorizeAs,
    onCreated: () => {},
    clock: Date.now,
  });
  const endpoint = await startAwsEndpoint({ services: { s3 }, authorizeAs, log: () => {} });
  const credentials = { accessKeyId: 'local-builds', secretAccessKey: 'local' };
  const client = createFileClient({ endpoint: endpoint.url, region: 'us-east-1', credentials });
  return {
    files: new BucketFiles(client, NAME),
    async stop() {
      client.destroy();
      await endpoint.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
