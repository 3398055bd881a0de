/** Wires `POST /v1/audio/transcriptions` for Lambda, which takes the files that fit into an event. */
import { FUNCTION_FILE_BYTES } from '../../../platform/contract/limits.ts';
import { streamed } from '../../../platform/http/pipelines.ts';
import { createTranscriptionHandler, fileTooLargeHere } from '../../handlers/transcription.ts';

export const handler = streamed(
  createTranscriptionHandler({
    maxFileBytes: FUNCTION_FILE_BYTES,
    tooLarge: () => fileTooLargeHere(FUNCTION_FILE_BYTES),
  }),
);
