/** The routes of Amazon Polly, whose throttling has the status 400 (Amazon Polly developer guide, "Quotas"). */
import { errorResponse, responseHeaders, signedFor } from '../bedrock/protocol.ts';
import { postRoute, type SimulatedRoute, type WireProtocol } from '../exchange/reply.ts';
import { audioEncoding } from '../openai/speech.ts';
import { respondWithSynthesis } from './speech.ts';
import { respondWithVoices } from './voices.ts';

const MAX_BODY_BYTES = 1024 * 1024;

const pollyProtocol: WireProtocol = {
  encoding: audioEncoding,
  maxBodyBytes: MAX_BODY_BYTES,
  refusal: signedFor('polly'),
  badRequest({ message, path, body }) {
    const { type = 'ValidationException' } = Object(body) as { readonly type?: string };
    const location = path.length === 0 ? '' : ` at '${path.join('.')}'`;
    return errorResponse(400, type, `1 validation error detected${location}: ${message}`);
  },
  failure(status) {
    if (status === 429) return errorResponse(400, 'ThrottlingException', 'Rate exceeded');
    const type = status < 500 ? 'AccessDeniedException' : 'ServiceFailureException';
    return errorResponse(status, type, `Status ${status}.`);
  },
  failureEvent: () => ({ data: '' }),
  responseHeaders,
};

export const pollyRoutes: readonly SimulatedRoute[] = [
  postRoute(pollyProtocol, '/v1/speech', respondWithSynthesis),
  { method: 'GET', path: '/v1/voices', protocol: pollyProtocol, reply: respondWithVoices },
];
