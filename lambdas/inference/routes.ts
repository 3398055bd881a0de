/** The routes of calls to models, and of the list of models. */
import { KEY_INFERENCE, OPEN_INFERENCE, type Route } from '../platform/contract/route.ts';

/** Calls of these kinds are streamed: their responses are larger, or take longer, than a buffered function allows. */
const call = { ...KEY_INFERENCE, method: 'POST', response: 'streamed', paid: true } as const;

export const INFERENCE_ROUTES = [
  {
    ...KEY_INFERENCE,
    method: 'POST',
    path: '/v1/chat/completions',
    endpoint: 'create-chat-completion',
    purpose: 'chat completion, JSON or server-sent events',
    response: 'streamed',
    paid: true,
  },
  {
    ...KEY_INFERENCE,
    method: 'POST',
    path: '/v1/messages',
    endpoint: 'create-message',
    purpose: 'Messages-compatible completion, JSON or server-sent events',
    response: 'streamed',
    surface: 'messages',
    paid: true,
  },
  {
    ...KEY_INFERENCE,
    method: 'POST',
    path: '/v1/messages/count_tokens',
    endpoint: 'count-message-tokens',
    purpose: 'prompt tokens of a Messages request, without a call',
    surface: 'messages',
  },
  {
    ...KEY_INFERENCE,
    method: 'POST',
    path: '/v1/responses',
    endpoint: 'create-response',
    purpose: 'response of a model, JSON or server-sent events; nothing is stored',
    response: 'streamed',
    paid: true,
  },
  {
    ...KEY_INFERENCE,
    method: 'POST',
    path: '/v1/responses/input_tokens',
    endpoint: 'count-response-tokens',
    purpose: 'prompt tokens of a Responses request, without a call',
  },
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
  {
    ...OPEN_INFERENCE,
    method: 'GET',
    path: '/v1/models',
    endpoint: 'list-models',
    purpose: 'callable models, for SDK discovery',
  },
  {
    ...OPEN_INFERENCE,
    method: 'GET',
    path: '/v1/models/{model+}',
    endpoint: 'get-model',
    purpose: 'one callable model, by id or alias',
  },
  {
    ...OPEN_INFERENCE,
    method: 'GET',
    path: '/api/v1/models',
    endpoint: 'list-prices',
    purpose: 'the same models with their prices',
  },
] as const satisfies readonly Route[];
