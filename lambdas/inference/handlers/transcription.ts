/** Puts `POST /v1/audio/transcriptions` together, for whichever host takes its uploads. */

import { METRICS } from '../../platform/contract/metrics.ts';
import { ServiceError } from '../../platform/core/errors.ts';
import { toMetric } from '../../platform/core/money.ts';
import { createUploadReader } from '../../platform/http/multipart.ts';
import { createRequestHandler, type Handler } from '../../platform/http/request-handler.ts';
import { createMeasure } from '../../platform/system/metrics.ts';
import { spoolToDisk } from '../../platform/system/spool.ts';
import { createTranscriptionEndpoint } from '../core/kinds/transcriptions/endpoint.ts';
import { createTranscriptionCalls } from '../providers/kinds/provider-calls.ts';
import { createSettlements } from '../store/create-settlements.ts';
import {
  BucketRecordings,
  createJobClient,
  createObjectClient,
  placeIn,
} from '../store/recordings/recordings.ts';
import { paidCalls } from './paid-handler.ts';

export interface TranscriptionHostOptions {
  /** The largest file that the host takes. */
  readonly maxFileBytes: number;
  /** Returns the error for a larger file. */
  readonly tooLarge: () => ServiceError;
}

/** Throws an error that names the variable when one is not set. */
export function createTranscriptionHandler({ maxFileBytes, tooLarge }: TranscriptionHostOptions): Handler {
  const calls = paidCalls();
  const place = placeIn(process.env);
  const clients = { objects: createObjectClient(), jobs: createJobClient() };
  const measure = createMeasure();
  const upstream = createTranscriptionCalls({
    ...calls,
    recordings: place && new BucketRecordings(clients, place, calls.log),
    onAbandoned({ cost, ...job }) {
      calls.log.warn('transcription abandoned', job);
      measure({ values: { [METRICS.unbilled]: toMetric(cost) } });
    },
  });
  const endpoint = createTranscriptionEndpoint(upstream, {
    ...calls,
    settlements: createSettlements(process.env),
    receive: createUploadReader({ spool: spoolToDisk, maxFileBytes, tooLarge }),
  });
  return createRequestHandler(endpoint, 'openai', calls);
}

const megabytes = (bytes: number) => Math.floor(bytes / (1024 * 1024));

/** The interface's own limit. */
export const fileTooLarge = (maxFileBytes: number): ServiceError =>
  new ServiceError('file_too_large', `file is larger than ${megabytes(maxFileBytes)} MB.`, { param: 'file' });

/** The limit of an address that has no ingress for larger files. */
export const fileTooLargeHere = (maxFileBytes: number): ServiceError => {
  const maxMegabytes = megabytes(maxFileBytes);
  return new ServiceError(
    'request_too_large',
    `This address takes files of up to ${maxMegabytes} MB: it has no ingress for uploads.`,
    { param: 'file' },
  );
};
