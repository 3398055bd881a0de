/** Wires `POST /v1/audio/transcriptions` for Lambda, which takes the files that fit into an event. */
import { FUNCTION_FILE_BYTES } from '../../contract/limits.ts';
import { streamed } from '../../edge/pipelines.ts';
import { createTranscriptionHandler, fileTooLargeHere } from '../../hosts/transcription.ts';

export const handler = streamed(
  createTranscriptionHandler({
    maxFileBytes: FUNCTION_FILE_BYTES,
    tooLarge: () => fileTooLargeHere(FUNCTION_FILE_BYTES),
  }),
);
