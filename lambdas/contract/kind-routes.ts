/** The routes of the calls to models that are no conversations; part of the route table (`routes.ts`). */
import type { Route } from './route.ts';

/** Streamed all of them: what they answer is larger, or takes longer, than what a buffered function may. */
const call = {
  method: 'POST',
  api: 'inference',
  surface: 'openai',
  response: 'streamed',
  authentication: 'api-key',
} as const;

export const MODALITY_ROUTES = [
  {
    ...call,
    path: '/v1/embeddings',
    endpoint: 'create-embeddings',
    purpose: 'embeddings of texts',
    // A batch of vectors is larger than what a buffered function may answer.
    kind: 'embeddings',
  },
  {
    ...call,
    path: '/v1/images/generations',
    endpoint: 'create-images',
    purpose: 'images of a text',
    // Four images are larger than what a buffered function may answer.
    kind: 'image',
  },
  {
    ...call,
    path: '/v1/audio/speech',
    endpoint: 'create-speech',
    purpose: 'speech of a text, as audio bytes',
    kind: 'tts',
  },
  {
    ...call,
    path: '/v1/audio/transcriptions',
    endpoint: 'create-transcription',
    purpose: 'transcript of an audio file, sent as a form',
    // Long recordings take longer than a buffered function may.
    kind: 'audio',
  },
] as const satisfies readonly Route[];
