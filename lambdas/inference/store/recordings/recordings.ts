/**
 * Recordings as objects of one bucket, and the jobs of Amazon Transcribe that read them. The objects of a job are below
 * its id. The name of a job begins with that of the bucket, which no other stage has, so that IAM tells their jobs apart.
 */
import { Readable } from 'node:stream';
import {
  DeleteObjectsCommand,
  GetObjectCommand,
  NoSuchKey,
  PutObjectCommand,
  S3Client,
  type S3ClientConfig,
} from '@aws-sdk/client-s3';
import {
  BadRequestException,
  ConflictException,
  DeleteTranscriptionJobCommand,
  GetTranscriptionJobCommand,
  type LanguageCode,
  StartTranscriptionJobCommand,
  TranscribeClient,
  type TranscribeClientConfig,
} from '@aws-sdk/client-transcribe';
import { requireVariable, VARIABLES } from '../../../platform/contract/environment.ts';
import type { Log } from '../../../platform/core/ports.ts';
import type {
  RecordedFile,
  RecordingJob,
  Recordings,
  StartedJob,
} from '../../core/kinds/transcriptions/recordings.ts';
import { UpstreamFailure } from '../../core/upstream/provider.ts';

/** 25 MB within a region take about a second. */
const REQUEST_MS = 20_000;
const CONNECT_MS = 1_000;

/** The maximum number of calls that one process serves at the same time. */
const MAX_SOCKETS = 256;

const requestHandler = {
  connectionTimeout: CONNECT_MS,
  requestTimeout: REQUEST_MS,
  throwOnRequestTimeout: true,
  httpsAgent: { maxSockets: MAX_SOCKETS },
};

/** The SDK writes a line of its own for each upload that it does not repeat. */
const SILENT = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** Without checksums of the SDK: each recording has SHA-256. */
export const createObjectClient = (config: S3ClientConfig = {}): S3Client =>
  new S3Client({
    ...config,
    logger: SILENT,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler,
  });

export const createJobClient = (config: TranscribeClientConfig = {}): TranscribeClient =>
  new TranscribeClient({ ...config, requestHandler });

/** Transcribe writes it beside a transcript, to find out whether it may, and leaves it there (stdapi.ai, `amazon_transcribe.py`). */
const CHECK_FILE = '.write_access_check_file.temp';

export interface RecordingClients {
  readonly objects: S3Client;
  readonly jobs: TranscribeClient;
}

export interface RecordingPlace {
  readonly bucket: string;
  /** The customer's key for transcripts; recordings have that of the bucket. */
  readonly keyArn: string | undefined;
}

/** Returns the place that the environment names; undefined for a deployment without one. */
export function placeIn(
  environment: Readonly<Record<string, string | undefined>>,
): RecordingPlace | undefined {
  const bucket = environment[VARIABLES.recordingsBucket];
  if (bucket === undefined) return undefined;
  const keyArn = requireVariable(environment, VARIABLES.recordingsKey);
  return { bucket, keyArn: keyArn === 'none' ? undefined : keyArn };
}

/** The beginning of the names of all jobs of a bucket. */
export const jobPrefix = (bucket: string): string => `${bucket}.`;

export class BucketRecordings implements Recordings {
  readonly #clients: RecordingClients;
  readonly #place: RecordingPlace;
  readonly #log: Log;

  constructor(clients: RecordingClients, place: RecordingPlace, log: Log) {
    this.#clients = clients;
    this.#place = place;
    this.#log = log;
  }

  async put(job: RecordingJob, { content, sha256 }: RecordedFile, signal: AbortSignal): Promise<void> {
    const command = new PutObjectCommand({
      Bucket: this.#place.bucket,
      Key: audioKey(job),
      Body: Readable.fromWeb(content.stream()),
      ContentLength: content.size,
      ChecksumSHA256: Buffer.from(sha256, 'hex').toString('base64'),
      IfNoneMatch: '*',
    });
    await this.#clients.objects.send(command, { abortSignal: signal });
  }

  async start({ language, ...job }: StartedJob, signal: AbortSignal): Promise<void> {
    const { bucket, keyArn } = this.#place;
    const command = new StartTranscriptionJobCommand({
      TranscriptionJobName: this.#nameOf(job),
      Media: { MediaFileUri: `s3://${bucket}/${audioKey(job)}` },
      MediaFormat: job.extension,
      OutputBucketName: bucket,
      OutputKey: transcriptKey(job),
      ...(keyArn === undefined ? {} : { OutputEncryptionKMSKeyId: keyArn }),
      ...(language === undefined ? { IdentifyLanguage: true } : { LanguageCode: language as LanguageCode }),
    });
    try {
      await this.#clients.jobs.send(command, { abortSignal: signal });
    } catch (failure) {
      // The name is new for each job, so a request whose response was lost has used it.
      if (!(failure instanceof ConflictException)) throw failure;
    }
  }

  async read(job: RecordingJob, maxBytes: number, signal: AbortSignal): Promise<string | undefined> {
    const command = new GetObjectCommand({ Bucket: this.#place.bucket, Key: transcriptKey(job) });
    try {
      const { Body: body, ContentLength: bytes = maxBytes + 1 } = await this.#clients.objects.send(command, {
        abortSignal: signal,
      });
      if (bytes <= maxBytes) return await body?.transformToString();
      (body as Readable | undefined)?.destroy();
    } catch (failure) {
      if (failure instanceof NoSuchKey) return undefined;
      throw failure;
    }
    throw new UpstreamFailure('protocol');
  }

  async failureOf(job: RecordingJob, signal: AbortSignal): Promise<string | undefined> {
    const command = new GetTranscriptionJobCommand({ TranscriptionJobName: this.#nameOf(job) });
    const { TranscriptionJob: read } = await this.#clients.jobs.send(command, { abortSignal: signal });
    return read?.TranscriptionJobStatus === 'FAILED' ? (read.FailureReason ?? '') : undefined;
  }

  async remove(job: RecordingJob): Promise<void> {
    const keys = [audioKey(job), transcriptKey(job), `${job.id}/${CHECK_FILE}`];
    const name = this.#nameOf(job);
    const removed = await Promise.allSettled([
      removeObjects(this.#clients.objects, this.#place.bucket, keys),
      // A job that runs cannot be deleted.
      removeJob(this.#clients.jobs, name),
    ]);
    const failures = removed.flatMap((each) =>
      each.status === 'rejected' ? [(each.reason as Error).name] : [],
    );
    if (failures.length > 0) this.#log.warn('recording left to the sweeper', { job: job.id, failures });
  }

  #nameOf({ id }: RecordingJob): string {
    return `${jobPrefix(this.#place.bucket)}${id}`;
  }
}

const audioKey = ({ id, extension }: RecordingJob): string => `${id}/audio.${extension}`;

const transcriptKey = ({ id }: RecordingJob): string => `${id}/transcript.json`;

/**
 * Deletes a job. One that does not exist, which was not started or is deleted already, is a bad request to Transcribe, as
 * is one that runs: their messages tell them apart (Amazon Transcribe API reference, DeleteTranscriptionJob; stdapi.ai).
 */
export async function removeJob(client: TranscribeClient, name: string): Promise<void> {
  try {
    await client.send(new DeleteTranscriptionJobCommand({ TranscriptionJobName: name }));
  } catch (failure) {
    if (!(failure instanceof BadRequestException && /couldn.t be found/.test(failure.message))) throw failure;
  }
}

/** Deletes objects, also those that do not exist: 1,000 at most. Throws if one of them remains. */
export async function removeObjects(
  client: S3Client,
  bucket: string,
  keys: readonly string[],
): Promise<void> {
  const { Errors: errors = [] } = await client.send(
    new DeleteObjectsCommand({
      Bucket: bucket,
      Delete: { Objects: keys.map((Key) => ({ Key })), Quiet: true },
    }),
  );
  if (errors.length > 0)
    throw Object.assign(new Error('objects were not deleted'), { name: errors[0]?.Code ?? 'Error' });
}
