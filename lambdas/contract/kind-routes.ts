/** The routes of embeddings, images, speech and transcriptions; part of the route table (`routes.ts`). */
import { KEY_INFERENCE, type Route } from './route.ts';

/** All are streamed: their responses are larger, or take longer, than a buffered function allows. */
const call = { ...KEY_INFERENCE, method: 'POST', response: 'streamed', paid: true } as const;

export const CALL_KIND_ROUTES = [
  {
    ...call,
    path: '/v1/embeddings',
    endpoint: 'create-embeddings',
    purpose: 'embeddings of texts',
  },
  {
    ...call,
    path: '/v1/images/generations',
    endpoint: 'create-images',
    purpose: 'images of a text',
  },
  {
    ...call,
    path: '/v1/audio/speech',
    endpoint: 'create-speech',
    purpose: 'speech of a text, as audio bytes',
  },
  {
    ...call,
    path: '/v1/audio/transcriptions',
    endpoint: 'create-transcription',
    purpose: 'transcript of an audio file, sent as a form',
  },
] as const satisfies readonly Route[];
