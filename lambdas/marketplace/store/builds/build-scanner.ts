/** GuardDuty Malware Protection for S3, which scans each upload by itself, and again on request. */
import {
  BadRequestException,
  GuardDutyClient,
  type GuardDutyClientConfig,
  SendObjectMalwareScanCommand,
} from '@aws-sdk/client-guardduty';
import type { BuildScanner } from '../../core/builds/ports.ts';
import { uploadKey } from './build-files.ts';

export const createScanClient = (config: GuardDutyClientConfig = {}): GuardDutyClient =>
  new GuardDutyClient(config);

export const createScanner = (client: GuardDutyClient, bucket: string): BuildScanner => ({
  async request(key) {
    const command = new SendObjectMalwareScanCommand({ S3Object: { Bucket: bucket, Key: uploadKey(key) } });
    try {
      await client.send(command);
      return 'requested';
    } catch (failure) {
      // GuardDuty rejects the request for an object that does not exist (API_SendObjectMalwareScan, Errors).
      if (failure instanceof BadRequestException) return 'no upload';
      throw failure;
    }
  },
});
