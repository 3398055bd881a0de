/** What a Messages request asks of a route: the body to forward, and what the route must be able to do. */
import { ServiceError } from '../../../errors.ts';
import type { Capability } from '../../catalog/route-document.ts';
import { ANTHROPIC_MESSAGES } from '../../levers/anthropic-messages.ts';
import { demandsOf } from '../../levers/table.ts';
import { forwardedFields } from '../../routing/route-controls.ts';
import type { Capsules } from '../../upstream/capsules.ts';
import type { Conversation } from '../../upstream/conversation.ts';
import { requirePublicImages } from '../../upstream/image-address.ts';
import type { ChatPayload, Feature } from '../../upstream/provider.ts';
import type { CallerHeaders } from '../api-format.ts';
import { toConversation } from './conversation.ts';
import { protocolHeadersOf } from './protocol-headers.ts';
import {
  allBlocks,
  type Block,
  DEFAULT_TEMPERATURE,
  isBlock,
  isCustomTool,
  isTextDocument,
  type MessagesRequest,
  maxTokensOf,
  pdfSourceOf,
  toBlocks,
  topPOf,
} from './request.ts';

/**
 * The request with defaults filled in, without nulls and without the fields that only the service uses. Throws 400
 * `invalid_value` for a request that goes on from an earlier answer, or names an image on a private network, and
 * `invalid_capsule` for a signature that was changed.
 */
export function toPayload(given: MessagesRequest, capsules: Capsules, headers?: CallerHeaders): ChatPayload {
  const request = withCurrentNames(given);
  refuseThread(request);
  openAll(request, capsules);
  const blocks = allBlocks(request);
  requirePublicImages(blocks.flatMap(linkOf));
  const body = toBody(request);
  let conversation: Conversation | undefined;
  return {
    protocol: 'anthropic',
    body,
    ...(headers === undefined ? {} : { headers: protocolHeadersOf(headers) }),
    conversation: () => {
      conversation ??= toConversation(request);
      return conversation;
    },
    stream: request.stream === true,
    needs: needsOf(request, blocks),
    features: featuresOf(request, blocks),
    demands: demandsOf(ANTHROPIC_MESSAGES, body),
  };
}

/** `output_format` is what `output_config.format` was as a beta (Claude docs, Structured outputs). */
function withCurrentNames({ output_format: format, ...request }: MessagesRequest): MessagesRequest {
  if (format == null) return request;
  return {
    ...request,
    output_config: { ...request.output_config, format: request.output_config?.format ?? format },
  };
}

/** Looks at every signature that is sent back: those that are not whole are refused before anything is held. */
function openAll({ messages }: MessagesRequest, capsules: Capsules): void {
  for (const [index, { content }] of messages.entries()) {
    for (const [at, block] of toBlocks(content).entries()) {
      const path = `messages[${index}].content[${at}]`;
      if (isBlock(block, 'thinking')) capsules.open('signature', block.signature ?? '', `${path}.signature`);
      if (isBlock(block, 'redacted_thinking')) capsules.open('signature', block.data, `${path}.data`);
    }
  }
}

/** The address of an image or a document that the upstream fetches. */
const linkOf = (block: Block): string[] => {
  const { source } = block as { readonly source?: unknown };
  const { type, url } = Object(source) as { readonly type?: unknown; readonly url?: unknown };
  return type === 'url' && typeof url === 'string' ? [url] : [];
};

/**
 * Answers are not kept, so none can be gone on from. The details make the SDK's tool runner send the whole
 * conversation instead (Claude API reference, Errors, `thread_unsupported_request`).
 */
function refuseThread({ thread }: MessagesRequest): void {
  if (thread == null) return;
  throw new ServiceError(
    'invalid_value',
    'thread: this service keeps no answers; send the whole conversation.',
    {
      param: 'thread',
      details: { error_code: 'thread_unsupported_request' },
    },
  );
}

function toBody(request: MessagesRequest): Record<string, unknown> {
  const body = forwardedFields(request);
  body.max_tokens = maxTokensOf(request);
  if (topPOf(request) === undefined) delete body.top_p;
  // Claude refuses a temperature beside `top_p`, and any but 1 beside thinking; a caller of either set none itself.
  if (body.top_p === undefined && !thinks(request)) body.temperature ??= DEFAULT_TEMPERATURE;
  return body;
}

const thinks = ({ thinking }: MessagesRequest): boolean => thinking != null && thinking.type !== 'disabled';

function needsOf(request: MessagesRequest, blocks: readonly Block[]): Capability[] {
  const { tools, tool_choice: choice, output_config: output, stream } = request;
  const needs: Capability[] = [];
  const hasToolTurns = blocks.some((block) => isBlock(block, 'tool_use') || isBlock(block, 'tool_result'));
  if ((tools ?? []).length > 0 || choice != null || hasToolTurns) needs.push('tools');
  if (output?.format != null) needs.push('json');
  if (blocks.some((block) => isBlock(block, 'image'))) needs.push('vision');
  if (blocks.some(isFile)) needs.push('documents');
  if (stream === true) needs.push('stream');
  return needs;
}

/** A document whose pages are read, not its text alone. */
const isFile = (block: Block): boolean =>
  isBlock(block, 'document') && block.source.type !== 'text' && block.source.type !== 'content';

/** The blocks that other protocols can express, and those that they can do without. */
const COMMON_BLOCKS: ReadonlySet<string> = new Set([
  ...['text', 'image', 'tool_use', 'tool_result'],
  ...['thinking', 'redacted_thinking'],
]);

function featuresOf(request: MessagesRequest, blocks: readonly Block[]): Feature[] {
  const { tools, container, mcp_servers: servers, messages } = request;
  const features: Feature[] = [];
  if (blocks.some((block) => isBlock(block, 'image') && block.source.type === 'url'))
    features.push('image-urls');
  // In the result of a tool no other protocol has a place for a document.
  const said = new Set(
    messages.filter(({ role }) => role === 'user').flatMap(({ content }) => toBlocks(content)),
  );
  const pdfs = [...said].flatMap((block) => pdfSourceOf(block) ?? []);
  if (pdfs.length > 0) features.push('documents');
  if (pdfs.some(({ kind }) => kind === 'url')) features.push('document-urls');
  const isCommon = (block: Block) =>
    COMMON_BLOCKS.has(block.type) ||
    isTextDocument(block) ||
    (said.has(block) && pdfSourceOf(block) !== undefined);
  const hasOwnBlocks = !blocks.every(isCommon);
  const hasServerTools = (tools ?? []).some((tool) => !isCustomTool(tool));
  const hasServers = Array.isArray(servers) ? servers.length > 0 : servers != null;
  if (hasOwnBlocks || hasServerTools || hasServers || container != null) features.push('messages-blocks');
  if ((request.stop_sequences ?? []).length > 0) features.push('stop-sequences');
  return features;
}
