/**
 * Transcripts of Amazon Transcribe: a batch job for each attempt, over objects in a bucket (Amazon Transcribe API
 * reference). Whatever happens, the attempt ends after it has deleted what it has stored.
 */
import type { NanoUsd } from '../../../../platform/core/money.ts';
import type { After, UlidSource } from '../../../../platform/core/ports.ts';
import { within } from '../../../../platform/core/within.ts';
import type { ProviderAttempt, ProviderCall } from '../../../core/kinds/call-kind.ts';
import { ownSeconds } from '../../../core/kinds/transcriptions/duration.ts';
import type { TranscriptionPayload } from '../../../core/kinds/transcriptions/endpoint.ts';
import type { RecordingJob, Recordings } from '../../../core/kinds/transcriptions/recordings.ts';
import type { Transcript } from '../../../core/kinds/transcriptions/transcript.ts';
import { priceMeasured } from '../../../core/metering/priced-usage.ts';
import { UpstreamFailure } from '../../../core/upstream/provider.ts';
import { transcriptBytes } from '../../response-bytes.ts';
import { toJobFailure, toStartFailure } from './transcribe-errors.ts';
import { languageCode } from './transcribe-languages.ts';
import { toTranscript } from './transcribe-result.ts';

/** A job that AWS bills and no caller pays for: it outlasts its call, or its transcript cannot be read. */
export interface AbandonedJob {
  readonly job: string;
  readonly route: string;
  readonly seconds: number;
  /** The cost of the job to the operator. */
  readonly cost: NanoUsd;
}

export interface TranscribeDependencies {
  /** Undefined in a deployment without a bucket for recordings. */
  readonly recordings: Recordings | undefined;
  readonly after: After;
  readonly ulid: UlidSource;
  readonly onAbandoned: (job: AbandonedJob) => void;
}

/** No job ends sooner, and an object appears complete. S3 has no quota that a read a second would reach. */
const FIRST_READ_MS = 2_000;
const NEXT_READ_MS = 1_000;

/** Reads of the transcript for each of the job itself, which has a quota of 20 a second in the account. */
const READS_PER_STATUS = 5;

/** Part of the time that is reserved for settlement. What takes longer is left to the sweeper. */
const REMOVED_WITHIN_MS = 5_000;

type TranscribeAttempt = ProviderAttempt<TranscriptionPayload>;

export function transcriptionsOfTranscribe({
  recordings,
  ...dependencies
}: TranscribeDependencies): ProviderCall<TranscriptionPayload, Transcript> {
  return (attempt) => {
    if (recordings === undefined) return Promise.reject(new UpstreamFailure('connection'));
    const work = transcribe({ ...dependencies, recordings }, attempt);
    // A function freezes once it has responded.
    attempt.payload.untilEnded(work);
    return work;
  };
}

type Dependencies = TranscribeDependencies & { readonly recordings: Recordings };

async function transcribe(dependencies: Dependencies, attempt: TranscribeAttempt): Promise<Transcript> {
  const { recordings, after, ulid, onAbandoned } = dependencies;
  const { model, route, payload, clock } = attempt;
  const { signal } = clock;
  const language = languageCode(payload.fields) ?? route.language;
  const job: RecordingJob = { id: ulid(), extension: payload.type.extension };
  let isUnpaid = false;
  try {
    await recordings.put(job, payload, signal);
    // Until there is a transcript, or it is known that the job was not started or has failed, which costs nothing.
    isUnpaid = true;
    await recordings.start({ ...job, language }, signal).catch((failure: unknown) => {
      isUnpaid = !hasStatus(failure);
      throw failure;
    });
    const result = await waitForTranscript(dependencies, attempt, job);
    isUnpaid = 'transcript' in result;
    if ('failure' in result) throw toJobFailure(result.failure);
    const transcript = toTranscript(result.transcript, payload);
    isUnpaid = false;
    return transcript;
  } catch (failure) {
    throw toStartFailure(failure, signal);
  } finally {
    if (isUnpaid) {
      const seconds = ownSeconds({ bytes: payload.content.size, length: payload.length });
      const cost = priceMeasured({ price: route.cost ?? model.price }, { seconds }).amount;
      onAbandoned({ job: job.id, route: route.id, seconds, cost });
    }
    await within(after, REMOVED_WITHIN_MS, recordings.remove(job));
  }
}

/** Waits until the job has ended. The signal's reason, and a transcript of too many bytes, end the wait. */
async function waitForTranscript(
  { recordings, after }: Dependencies,
  { payload, clock: { signal } }: TranscribeAttempt,
  job: RecordingJob,
): Promise<{ readonly transcript: string } | { readonly failure: string }> {
  const maxBytes = transcriptBytes(payload.content.size);
  for (let reads = 1; ; reads += 1) {
    await pause(after, reads === 1 ? FIRST_READ_MS : NEXT_READ_MS, signal);
    const transcript = await retried(recordings.read(job, maxBytes, signal), signal);
    if (transcript !== undefined) return { transcript };
    if (reads % READS_PER_STATUS !== 0) continue;
    const failure = await retried(recordings.failureOf(job, signal), signal);
    if (failure !== undefined) return { failure };
  }
}

/** Resolves with undefined for a read that failed, because the job is paid for: the next read may succeed. */
const retried = <T>(read: Promise<T | undefined>, signal: AbortSignal): Promise<T | undefined> =>
  read.catch((failure: unknown) => {
    signal.throwIfAborted();
    if (failure instanceof UpstreamFailure) throw failure;
    return undefined;
  });

const hasStatus = (failure: unknown): boolean =>
  (Object(failure) as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode !== undefined;

/** Resolves after that time. Rejects with the signal's reason. */
function pause(after: After, ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const stop = after(ms, resolve);
  const onAbort = () => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  return promise.finally(() => {
    stop();
    signal.removeEventListener('abort', onAbort);
  });
}
