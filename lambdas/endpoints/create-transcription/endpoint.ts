/** `POST /v1/audio/transcriptions`. */
export { createTranscriptionEndpoint as createTranscription } from '../../core/inference/kinds/transcriptions/endpoint.ts';
