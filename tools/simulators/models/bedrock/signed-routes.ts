/**
 * The endpoints of AWS that speak the formats of OpenAI and Anthropic to signed requests. The path begins with what
 * stands for the host; nothing stands for `bedrock-runtime`, whose Converse has the paths of AWS's client.
 * Sources: Amazon Bedrock user guide, "Inference using Anthropic Messages API", "Chat Completions API" and "Responses
 * API"; Claude Platform on AWS user guide, "Making requests".
 */
import { anthropicProtocol, errorResponse, versionRejection } from '../anthropic/protocol.ts';
import { respondToMessages } from '../anthropic/routes.ts';
import type {
  CompleteReply,
  RequestHead,
  SimulatedCall,
  SimulatedResponse,
  SimulatedRoute,
  WireProtocol,
} from '../exchange/reply.ts';
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

const messages = (
  service: string,
  rejection: (head: RequestHead) => CompleteReply | undefined = versionRejection,
): WireProtocol => ({
  ...anthropicProtocol,
  refusal: (head) => signedFor(service)(head) ?? rejection(head),
  responseHeaders: (head) => ({ ...anthropicProtocol.responseHeaders(head), ...responseHeaders(head) }),
});

function workspaceRejection(head: RequestHead): CompleteReply | undefined {
  if (!head.headers['anthropic-workspace-id'])
    return errorResponse(400, 'anthropic-workspace-id: header is required', head);
  return versionRejection(head);
}

const modelOf = ({ body }: SimulatedCall): string => String(Object(body).model);

/** A model that Bedrock serves by inference profiles alone (get-foundation-model, `inferenceTypesSupported`). */
const BARE_CLAUDE = /^anthropic\./u;
/** A system-defined inference profile (Amazon Bedrock user guide, "Supported Regions and models for inference profiles"). */
const PROFILE = /^(?:us|us-gov|eu|apac|au|ca|jp|global)\./u;

function respondOnRuntime(call: SimulatedCall): SimulatedResponse {
  const model = modelOf(call);
  if (BARE_CLAUDE.test(model))
    throw new RequestError(`Invocation of model ID ${model} with on-demand throughput isn't supported.`);
  return respondToMessages(call);
}

function respondOnMantle(call: SimulatedCall): SimulatedResponse {
  const model = modelOf(call);
  if (PROFILE.test(model)) throw new RequestError(`The model '${model}' does not exist`, [], { status: 404 });
  return respondToMessages(call);
}

const post = { method: 'POST' };

export const signedRoutes: readonly SimulatedRoute[] = [
  {
    ...post,
    path: '/openai/v1/chat/completions',
    protocol: signed(openAiProtocol, 'bedrock'),
    reply: respondToChat,
  },
  {
    ...post,
    path: '/openai/v1/responses',
    protocol: signed(responsesProtocol, 'bedrock'),
    reply: respondToResponses,
  },
  { ...post, path: '/anthropic/v1/messages', protocol: messages('bedrock'), reply: respondOnRuntime },
  {
    ...post,
    path: '/bedrock-mantle/v1/chat/completions',
    protocol: signed(openAiProtocol, 'bedrock-mantle'),
    reply: respondToChat,
  },
  {
    ...post,
    path: '/bedrock-mantle/v1/responses',
    protocol: signed(responsesProtocol, 'bedrock-mantle'),
    reply: respondToResponses,
  },
  {
    ...post,
    path: '/bedrock-mantle/anthropic/v1/messages',
    protocol: messages('bedrock-mantle'),
    reply: respondOnMantle,
  },
  {
    ...post,
    path: '/aws-external-anthropic/v1/messages',
    protocol: messages('aws-external-anthropic', workspaceRejection),
    reply: respondToMessages,
  },
];
