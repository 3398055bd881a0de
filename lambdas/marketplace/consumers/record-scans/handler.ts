/**
 * Records uploads of builds and results of their scans. EventBridge invokes it, and repeats a failed invocation; a build
 * whose event is lost is overdue, and its scan is requested again.
 */
import * as z from 'zod';
import { consumerHandler } from '../../../platform/handlers/consumer-handler.ts';
import { recordScan, recordUpload, SCAN_RESULTS } from '../../core/builds/scans.ts';
import { BucketFiles, buildOf, createFileClient } from '../../store/builds/build-files.ts';
import { bucketOf, createBuildStore, scannerOf } from '../../store/create-builds.ts';

/** S3 user guide, "EventBridge event message structure"; GuardDuty user guide, "Monitoring S3 object scans with EventBridge". */
const objectEvent = z.discriminatedUnion('detail-type', [
  z.object({
    'detail-type': z.literal('Object Created'),
    detail: z.object({ bucket: z.object({ name: z.string() }), object: z.object({ key: z.string() }) }),
  }),
  z.object({
    'detail-type': z.literal('GuardDuty Malware Protection Object Scan Result'),
    detail: z.object({
      s3ObjectDetails: z.object({ bucketName: z.string(), objectKey: z.string() }),
      scanResultDetails: z.object({
        scanResultStatus: z.enum(SCAN_RESULTS),
        threats: z.array(z.object({ name: z.string() })).nullish(),
      }),
    }),
  }),
]);

export const handler = consumerHandler((resources) => {
  const { environment } = resources;
  const bucket = bucketOf(environment);
  const scans = {
    ...resources,
    store: createBuildStore(resources),
    files: new BucketFiles(createFileClient(), bucket),
    engine: scannerOf(environment),
  };
  return async (input: unknown) => {
    const event = objectEvent.parse(input);
    if (event['detail-type'] === 'Object Created') {
      const build = buildOf(event.detail.object.key);
      if (build !== undefined && event.detail.bucket.name === bucket) await recordUpload(scans, build);
      return;
    }
    const { s3ObjectDetails: object, scanResultDetails: result } = event.detail;
    const build = buildOf(object.objectKey);
    if (build === undefined || object.bucketName !== bucket) return;
    const threats = (result.threats ?? []).map(({ name }) => name);
    await recordScan(scans, { ...build, result: result.scanResultStatus, threats });
  };
});
