/**
 * The endpoints of AWS that speak the formats of OpenAI and Anthropic to signed requests. The path begins with what
 * stands for the host; nothing stands for `bedrock-runtime`, whose Converse has the paths of AWS's client.
 * Sources: Amazon Bedrock user guide, "Inference using Anthropic Messages API", "Chat Completions API" and "Responses
 * API"; Claude Platform on AWS user guide, "Making requests".
 */
import { anthropicProtocol, errorReply, versionRefusal } from '../anthropic/protocol.ts';
import { replyToMessages } from '../anthropic/routes.ts';
import type {
  RequestHead,
  SimulatedCall,
  SimulatedReply,
  SimulatedRoute,
  WholeReply,
  WireProtocol,
} from '../exchange/reply.ts';
import { RequestError } from '../exchange/request-error.ts';
import { openAiProtocol } from '../openai/protocol.ts';
import { replyToChat } from '../openai/routes.ts';
import { responsesProtocol } from '../responses/protocol.ts';
import { replyToResponses } from '../responses/routes.ts';
import { responseHeaders, signedFor } from './protocol.ts';

const signed = (protocol: WireProtocol, service: string): WireProtocol => ({
  ...protocol,
  refusal: signedFor(service),
  responseHeaders,
});

const messages = (
  service: string,
  refusal: (head: RequestHead) => WholeReply | undefined = versionRefusal,
): WireProtocol => ({
  ...anthropicProtocol,
  refusal: (head) => signedFor(service)(head) ?? refusal(head),
  responseHeaders: (head) => ({ ...anthropicProtocol.responseHeaders(head), ...responseHeaders(head) }),
});

function workspaceRefusal(head: RequestHead): WholeReply | undefined {
  if (!head.headers['anthropic-workspace-id'])
    return errorReply(400, 'anthropic-workspace-id: header is required', head);
  return versionRefusal(head);
}

const modelOf = ({ body }: SimulatedCall): string => String(Object(body).model);

/** A model that Bedrock serves by inference profiles alone (get-foundation-model, `inferenceTypesSupported`). */
const BARE_CLAUDE = /^anthropic\./u;
/** A system-defined inference profile (Amazon Bedrock user guide, "Supported Regions and models for inference profiles"). */
const PROFILE = /^(?:us|us-gov|eu|apac|au|ca|jp|global)\./u;

function replyOnRuntime(call: SimulatedCall): SimulatedReply {
  const model = modelOf(call);
  if (BARE_CLAUDE.test(model))
    throw new RequestError(`Invocation of model ID ${model} with on-demand throughput isn't supported.`);
  return replyToMessages(call);
}

function replyOnMantle(call: SimulatedCall): SimulatedReply {
  const model = modelOf(call);
  if (PROFILE.test(model)) throw new RequestError(`The model '${model}' does not exist`, [], { status: 404 });
  return replyToMessages(call);
}

const post = { method: 'POST' };

export const signedRoutes: readonly SimulatedRoute[] = [
  {
    ...post,
    path: '/openai/v1/chat/completions',
    protocol: signed(openAiProtocol, 'bedrock'),
    reply: replyToChat,
  },
  {
    ...post,
    path: '/openai/v1/responses',
    protocol: signed(responsesProtocol, 'bedrock'),
    reply: replyToResponses,
  },
  { ...post, path: '/anthropic/v1/messages', protocol: messages('bedrock'), reply: replyOnRuntime },
  {
    ...post,
    path: '/bedrock-mantle/v1/chat/completions',
    protocol: signed(openAiProtocol, 'bedrock-mantle'),
    reply: replyToChat,
  },
  {
    ...post,
    path: '/bedrock-mantle/v1/responses',
    protocol: signed(responsesProtocol, 'bedrock-mantle'),
    reply: replyToResponses,
  },
  {
    ...post,
    path: '/bedrock-mantle/anthropic/v1/messages',
    protocol: messages('bedrock-mantle'),
    reply: replyOnMantle,
  },
  {
    ...post,
    path: '/aws-external-anthropic/v1/messages',
    protocol: messages('aws-external-anthropic', workspaceRefusal),
    reply: replyToMessages,
  },
];
