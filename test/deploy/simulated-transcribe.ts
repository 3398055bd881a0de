/** Amazon Transcribe for the emulated account: it reads recordings from the account's buckets, and writes transcripts there. */
import { GetObjectCommand, NoSuchKey, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { type AwsEndpoint, startAwsEndpoint } from '../../tools/local/aws/endpoint.ts';
import { createTranscribeService } from '../../tools/local/aws/transcribe/transcribe-service.ts';
import type { Emulator } from './emulator.ts';

/** Starts it before the emulator, which forwards to it. The emulator has checked the rights of each request. */
export const startTranscribe = (emulator: () => Emulator): Promise<AwsEndpoint> =>
  startAwsEndpoint({
    services: {
      Transcribe: createTranscribeService({
        clock: Date.now,
        objects: {
          async read(Bucket, Key) {
            try {
              const { Body } = await client(emulator()).send(new GetObjectCommand({ Bucket, Key }));
              const body = Buffer.from((await Body?.transformToByteArray()) ?? []);
              return { key: Key, body, modifiedMs: 0, etag: '', contentType: '' };
            } catch (failure) {
              if (failure instanceof NoSuchKey) return undefined;
              throw failure;
            }
          },
          async write(Bucket, Key, Body, ContentType) {
            await client(emulator()).send(new PutObjectCommand({ Bucket, Key, Body, ContentType }));
            return '';
          },
        },
      }),
    },
    authorizeAs: () => () => {},
    log: () => {},
  });

const client = (emulator: Emulator): S3Client => new S3Client({ ...emulator.client, forcePathStyle: true });
