/** The routes of calls to models, and of the list of models. */
import { keyInference, openInference, paidCall, type Route } from '../platform/contract/route.ts';

export const INFERENCE_ROUTES = [
  paidCall(
    'POST /v1/chat/completions',
    'create-chat-completion',
    'chat completion, JSON or server-sent events',
  ),
  paidCall(
    'POST /v1/messages',
    'create-message',
    'Messages-compatible completion, JSON or server-sent events',
    { surface: 'messages' },
  ),
  keyInference(
    'POST /v1/messages/count_tokens',
    'count-message-tokens',
    'prompt tokens of a Messages request, without a call',
    { surface: 'messages' },
  ),
  paidCall(
    'POST /v1/responses',
    'create-response',
    'response of a model, JSON or server-sent events; nothing is stored',
  ),
  keyInference(
    'POST /v1/responses/input_tokens',
    'count-response-tokens',
    'prompt tokens of a Responses request, without a call',
  ),
  paidCall('POST /v1/embeddings', 'create-embeddings', 'embeddings of texts'),
  paidCall('POST /v1/images/generations', 'create-images', 'images of a text'),
  paidCall('POST /v1/audio/speech', 'create-speech', 'speech of a text, as audio bytes'),
  paidCall(
    'POST /v1/audio/transcriptions',
    'create-transcription',
    'transcript of an audio file, sent as a form',
  ),
  openInference('GET /v1/models', 'list-models', 'callable models, for SDK discovery'),
  openInference('GET /v1/models/{model+}', 'get-model', 'one callable model, by id or alias'),
  openInference('GET /api/v1/models', 'list-prices', 'the same models with their prices'),
] as const satisfies readonly Route[];
