/**
 * The endpoints of AWS that speak the formats of OpenAI and Anthropic to signed requests. The path begins with what
 * stands for the host; nothing stands for `bedrock-runtime`, whose Converse has the paths of AWS's client.
 * Sources: Amazon Bedrock user guide, "Inference using Anthropic Messages API", "Chat Completions API" and "Responses
 * API"; Claude Platform on AWS user guide, "Making requests".
 */
import { anthropicProtocol, errorResponse, versionRejection } from '../anthropic/protocol.ts';
import { respondToMessages } from '../anthropic/routes.ts';
import { postRoute, type RequestHead, type SimulatedCall, type WireProtocol } from '../exchange/reply.ts';
import { RequestError } from '../exchange/request-error.ts';
import { openAiProtocol } from '../openai/protocol.ts';
import { respondToChat } from '../openai/routes.ts';
import { responsesProtocol } from '../responses/protocol.ts';
import { respondToResponses } from '../responses/routes.ts';
import { responseHeaders, signedFor } from './protocol.ts';

const signed = (protocol: WireProtocol, service: string): WireProtocol => ({
  ...protocol,
  refusal: signedFor(service),
  responseHeaders,
});

const messages = (service: string, rejection = versionRejection): WireProtocol => ({
  ...anthropicProtocol,
  refusal: (head) => signedFor(service)(head) ?? rejection(head),
  responseHeaders: (head) => ({ ...anthropicProtocol.responseHeaders(head), ...responseHeaders(head) }),
});

const workspaceRejection = (head: RequestHead) =>
  head.headers['anthropic-workspace-id']
    ? versionRejection(head)
    : errorResponse(400, 'anthropic-workspace-id: header is required', head);

const modelOf = ({ body }: SimulatedCall): string => String(Object(body).model);

/** A model that Bedrock serves by inference profiles alone (get-foundation-model, `inferenceTypesSupported`). */
const BARE_CLAUDE = /^anthropic\./u;
/** A system-defined inference profile (Amazon Bedrock user guide, "Supported Regions and models for inference profiles"). */
const PROFILE = /^(?:us|us-gov|eu|apac|au|ca|jp|global)\./u;

function respondOnRuntime(call: SimulatedCall) {
  const model = modelOf(call);
  if (BARE_CLAUDE.test(model))
    throw new RequestError(`Invocation of model ID ${model} with on-demand throughput isn't supported.`);
  return respondToMessages(call);
}

function respondOnMantle(call: SimulatedCall) {
  const model = modelOf(call);
  if (PROFILE.test(model)) throw new RequestError(`The model '${model}' does not exist`, [], { status: 404 });
  return respondToMessages(call);
}

const MANTLE = 'bedrock-mantle';
const PLATFORM = 'aws-external-anthropic';

export const signedRoutes = [
  postRoute(signed(openAiProtocol, 'bedrock'), '/openai/v1/chat/completions', respondToChat),
  postRoute(signed(responsesProtocol, 'bedrock'), '/openai/v1/responses', respondToResponses),
  postRoute(messages('bedrock'), '/anthropic/v1/messages', respondOnRuntime),
  postRoute(signed(openAiProtocol, MANTLE), `/${MANTLE}/v1/chat/completions`, respondToChat),
  postRoute(signed(responsesProtocol, MANTLE), `/${MANTLE}/v1/responses`, respondToResponses),
  postRoute(messages(MANTLE), `/${MANTLE}/anthropic/v1/messages`, respondOnMantle),
  postRoute(messages(PLATFORM, workspaceRejection), `/${PLATFORM}/v1/messages`, respondToMessages),
];
