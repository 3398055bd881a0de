/**
 * A recording that is stored for the time of its transcription, because Amazon Transcribe reads from a bucket only.
 *
 * put -> start -> read until there is a transcript, or a reason for which there is none -> remove, always.
 */
import type { AudioExtension } from './audio-type.ts';

/** One job: the name that its objects and its job have, and the format of its recording. */
export interface RecordingJob {
  readonly id: string;
  readonly extension: AudioExtension;
}

/** The file of a recording. */
export interface RecordedFile {
  readonly content: Blob;
  /** Hex. */
  readonly sha256: string;
}

export interface StartedJob extends RecordingJob {
  /** A code of Amazon Transcribe; absent if the language is to be identified. */
  readonly language: string | undefined;
}

/** The store of recordings. Each method but the last throws the error of the AWS client, or the signal's reason. */
export interface Recordings {
  /** Stores the recording. It is sent once. */
  put(job: RecordingJob, file: RecordedFile, signal: AbortSignal): Promise<void>;
  /** Starts the job, which a lost response does not start again. */
  start(job: StartedJob, signal: AbortSignal): Promise<void>;
  /** Returns the transcript once it is complete. Throws `UpstreamFailure` if it is larger than that. */
  read(job: RecordingJob, maxBytes: number, signal: AbortSignal): Promise<string | undefined>;
  /** Returns the reason for which the job has failed; undefined while it has not. */
  failureOf(job: RecordingJob, signal: AbortSignal): Promise<string | undefined>;
  /** Deletes everything of the job. Logs what is left, for the sweeper. Does not throw. */
  remove(job: RecordingJob): Promise<void>;
}
