/**
 * Amazon Transcribe, as far as the service uses it: batch jobs that read a recording from a bucket and write their
 * transcript beside it, both with the rights of who started them. Its "speech" is a word for each half second of a WAV
 * file that is not silent, and one sentence for any other file. Sources: Amazon Transcribe API reference,
 * StartTranscriptionJob, GetTranscriptionJob, ListTranscriptionJobs, DeleteTranscriptionJob and TranscriptionJob; its
 * developer guide, "Data input and output". The texts of the failures are those of the API reference, TranscriptionJob.
 */

import { regionalArn } from '../../assembly/identities.ts';
import { REGION } from '../../assembly/intrinsics.ts';
import type { ObjectStore } from '../builds/object-store.ts';
import type { Authorize } from '../callers.ts';
import type { AwsServiceHandler } from '../endpoint.ts';
import { AwsError, parseBody, unknownCall } from '../errors.ts';
import { formatOf, heardIn, transcriptOf } from './speech.ts';

export interface TranscribeServiceOptions {
  readonly objects: Pick<ObjectStore, 'read' | 'write'>;
  readonly clock: () => number;
  /** Returns the course of the next job; a test replaces it. */
  readonly plan?: () => JobPlan;
}

/** The course of a job. */
export interface JobPlan {
  /** Milliseconds that it takes; `Infinity` for one that never ends. */
  readonly jobMs: number;
  /** The reason for which it fails. */
  readonly failure?: string;
}

const USUAL: JobPlan = { jobMs: 400 };

interface StartRequest {
  readonly TranscriptionJobName: string;
  readonly Media: { readonly MediaFileUri?: string };
  readonly MediaFormat: string;
  readonly OutputBucketName: string;
  readonly OutputKey: string;
  readonly OutputEncryptionKMSKeyId: string;
  readonly LanguageCode: string;
  readonly IdentifyLanguage: boolean;
}

interface ListRequest {
  readonly JobNameContains: string;
  readonly NextToken: string;
}

interface Place {
  readonly bucket: string;
  readonly key: string;
}

interface Job {
  readonly name: string;
  readonly createdMs: number;
  readonly language: string;
  status: 'IN_PROGRESS' | 'COMPLETED' | 'FAILED';
  failure?: string;
}

/** The file by which Transcribe finds out whether it may write (its developer guide, "Data input and output"). */
const CHECK_FILE = '.write_access_check_file.temp';

const MAX_LISTED = 100;

/** A job goes on without its caller, and ends with the process. */
export function createTranscribeService(options: TranscribeServiceOptions): AwsServiceHandler {
  const jobs = new Jobs(options);
  return async ({ operation, body, authorize }) => {
    const request = parseBody<StartRequest & ListRequest>(body);
    const { TranscriptionJobName: name = '' } = request;
    switch (operation) {
      case 'StartTranscriptionJob':
        return { TranscriptionJob: described(await jobs.start(request, authorize)) };
      case 'GetTranscriptionJob':
        authorize('transcribe:GetTranscriptionJob', jobArn(name));
        return { TranscriptionJob: described(jobs.get(name)) };
      case 'DeleteTranscriptionJob':
        authorize('transcribe:DeleteTranscriptionJob', jobArn(name));
        jobs.delete(name);
        return {};
      case 'ListTranscriptionJobs':
        authorize('transcribe:ListTranscriptionJobs', '*');
        return jobs.list(request);
      default:
        throw unknownCall(`Transcribe call ${operation}`);
    }
  };
}

class Jobs {
  readonly #options: TranscribeServiceOptions;
  readonly #jobs = new Map<string, Job>();

  constructor(options: TranscribeServiceOptions) {
    this.#options = options;
  }

  get(name: string): Job {
    const job = this.#jobs.get(name);
    if (job === undefined)
      throw new AwsError('NotFoundException', "The requested job couldn't be found.", 404);
    return job;
  }

  delete(name: string): void {
    const job = this.#jobs.get(name);
    // Only reads of a job that does not exist are reported as such.
    if (job === undefined)
      throw new AwsError(
        'BadRequestException',
        "The requested job couldn't be found. Check the job name and try your request again.",
      );
    if (job.status === 'IN_PROGRESS')
      throw new AwsError('BadRequestException', "The requested job is in progress and couldn't be deleted.");
    this.#jobs.delete(name);
  }

  list({ JobNameContains: part = '', NextToken: token = '' }: Partial<ListRequest>): object {
    const found = [...this.#jobs.values()]
      .filter(({ name }) => name.includes(part) && name > token)
      .sort((a, b) => (a.name < b.name ? -1 : 1));
    const page = found.slice(0, MAX_LISTED);
    return {
      TranscriptionJobSummaries: page.map(described),
      ...(found.length > page.length ? { NextToken: page.at(-1)?.name } : {}),
    };
  }

  async start(request: Partial<StartRequest>, authorize: Authorize): Promise<Job> {
    const { objects, clock, plan = () => USUAL } = this.#options;
    const { TranscriptionJobName: name = '', OutputBucketName: bucket = '', OutputKey: key = '' } = request;
    if (!/^[0-9a-zA-Z._-]{1,200}$/.test(name)) throw invalid('transcriptionJobName');
    if ((request.LanguageCode === undefined) === (request.IdentifyLanguage !== true))
      throw invalid('languageCode');
    authorize('transcribe:StartTranscriptionJob', '*', { 'transcribe:OutputBucketName': bucket });
    const media = placeOf(request.Media?.MediaFileUri);
    const checkKey = key.replace(/[^/]*$/, CHECK_FILE);
    requireAccess(authorize, 's3:GetObject', media);
    for (const each of [key, checkKey]) requireAccess(authorize, 's3:PutObject', { bucket, key: each });
    // It reads the recording and writes its transcript by S3, with the rights of who starts the job.
    for (const keyUse of request.OutputEncryptionKMSKeyId === undefined ? [] : KEY_USES)
      authorize(keyUse, request.OutputEncryptionKMSKeyId ?? '', { 'kms:ViaService': VIA_S3 });
    const recording = await objects.read(media.bucket, media.key);
    if (recording === undefined)
      throw new AwsError('BadRequestException', "The S3 URI that you provided doesn't point to a file.");
    if (this.#jobs.has(name))
      throw new AwsError('ConflictException', 'The requested job name already exists.', 409);
    const language = request.LanguageCode ?? 'en-US';
    const job: Job = { name, createdMs: clock(), language, status: 'IN_PROGRESS' };
    this.#jobs.set(name, job);
    await objects.write(bucket, checkKey, Buffer.alloc(0), 'binary/octet-stream');
    const { jobMs, failure } = plan();
    const run = async () => {
      const reason = failure ?? failureOf(recording.body, request.MediaFormat);
      if (reason === undefined) {
        const transcript = JSON.stringify(transcriptOf(name, language, heardIn(recording.body)));
        await objects.write(bucket, key, Buffer.from(transcript), 'application/json');
      }
      Object.assign(
        job,
        reason === undefined ? { status: 'COMPLETED' } : { status: 'FAILED', failure: reason },
      );
    };
    if (Number.isFinite(jobMs)) setTimeout(() => void run(), jobMs).unref();
    return job;
  }
}

const KEY_USES = ['kms:Decrypt', 'kms:GenerateDataKey'];

const VIA_S3 = `s3.${REGION}.amazonaws.com`;

const jobArn = (name: string): string => regionalArn('transcribe', `transcription-job/${name}`);

const invalid = (member: string): AwsError =>
  new AwsError(
    'BadRequestException',
    `1 validation error detected: Value at '${member}' failed to satisfy constraint`,
  );

function placeOf(uri = ''): Place {
  const [, bucket, key] = /^s3:\/\/([^/]+)\/(.+)$/.exec(uri) ?? [];
  if (bucket === undefined || key === undefined) throw invalid('media.mediaFileUri');
  return { bucket, key };
}

/** The service reports what its caller may not do as a bad request. */
function requireAccess(authorize: Authorize, action: string, { bucket, key }: Place): void {
  try {
    authorize(action, `arn:aws:s3:::${bucket}/${key}`);
  } catch {
    throw new AwsError(
      'BadRequestException',
      "The S3 URI that you provided can't be accessed. Make sure that you have permission and try your request again.",
    );
  }
}

function failureOf(audio: Buffer, format: string | undefined): string | undefined {
  const detected = formatOf(audio);
  if (detected === undefined) return 'Unsupported audio format';
  if (format !== undefined && detected !== format)
    return 'The media format that you specified doesn’t match the detected media format';
  const heard = heardIn(audio);
  return heard !== undefined && heard.seconds < 0.5
    ? 'Invalid file size: file size too small. Provide a longer audio file.'
    : undefined;
}

const described = ({ name, createdMs, language, status, failure }: Job) => ({
  TranscriptionJobName: name,
  TranscriptionJobStatus: status,
  CreationTime: createdMs / 1000,
  LanguageCode: language,
  ...(failure === undefined ? {} : { FailureReason: failure }),
});
