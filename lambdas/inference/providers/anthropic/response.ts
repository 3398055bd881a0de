/** A complete response of a server of the Messages protocol (Claude API reference, Create a Message, Message). */

import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import type { AssistantPart } from '../../core/upstream/conversation.ts';
import { type RouteAttempt, type RouteResponse, UpstreamFailure } from '../../core/upstream/provider.ts';
import type { Signatures } from '../../core/upstream/sealed-tokens.ts';
import { sealBlock } from '../claude/thinking-blocks.ts';
import { ToolUseNormalizer } from '../claude/tool-uses.ts';
import { messagesStopReason } from '../ends.ts';
import { objectOf } from '../http-upstream.ts';
import { toMessage } from '../message-fields.ts';
import { textOf, toFinish } from './content.ts';
import { toUsage } from './usage.ts';

/** The properties of a call that are needed to read its response. */
export interface MessagesCallContext extends Pick<RouteAttempt, 'payload' | 'identity' | 'signatures'> {
  /** The tool whose input is the text of the response. */
  readonly answerTool?: string | undefined;
}

/**
 * Returns the response. For a caller of this protocol, it has the service's id and model name. Otherwise it is
 * protocol-independent. Throws `UpstreamFailure` if the body is not a finished message.
 */
export function toRouteResponse(
  body: unknown,
  context: MessagesCallContext,
): Extract<RouteResponse, { kind: 'json' }> {
  const message = objectOf(body);
  const { content, stop_reason: reason, usage } = message;
  if (!Array.isArray(content) || typeof reason !== 'string') throw new UpstreamFailure('protocol');
  const toolUses = new ToolUseNormalizer(context.identity.id);
  const blocks = content.map((block) => toolUses.block(objectOf(block)));
  const native = context.payload.protocol === 'anthropic';
  const hasCalls = blocks.some((block) => isCall(block, context.answerTool));
  const stopReason = messagesStopReason(reason, hasCalls);
  const sealed = () => blocks.map((block) => sealBlock(block, context.signatures));
  return {
    kind: 'json',
    completeResponse: native
      ? { body: toMessage({ ...message, content: sealed(), stop_reason: stopReason }, context.identity) }
      : { output: { parts: toParts(blocks, context), finish: toFinish(message, hasCalls) } },
    outputText: blocks.map((block) => outputOf(block, context.answerTool)).join(''),
    usage: toUsage(usage, native),
  };
}

function toParts(
  blocks: readonly JsonObject[],
  { answerTool, signatures }: MessagesCallContext,
): AssistantPart[] {
  const answerUse = blocks.find(({ type, name }) => type === 'tool_use' && isAnswerTool(name, answerTool));
  const parts = blocks.flatMap((block): AssistantPart[] => {
    if (block.type === 'text')
      return typeof block.text === 'string' ? [{ type: 'text', text: block.text }] : [];
    if (block.type === 'thinking' || block.type === 'redacted_thinking')
      return toReasoning(block, signatures);
    if (block.type !== 'tool_use') return [];
    if (!isAnswerTool(block.name, answerTool))
      return [{ type: 'tool-call', ...callOf(block), arguments: inputOf(block) }];
    // The answer is one object. A second one is ignored.
    return block === answerUse ? [{ type: 'text', text: inputOf(block) }] : [];
  });
  return parts.filter(isNotEmpty);
}

/** Returns the reasoning of a block. A block without text and without a signature is dropped. */
function toReasoning(block: JsonObject, signatures: Signatures): AssistantPart[] {
  const text = typeof block.thinking === 'string' ? block.thinking : '';
  const signature = signatureOf(block, signatures);
  if (text === '' && signature === undefined) return [];
  return [{ type: 'reasoning', text, ...(signature === undefined ? {} : { signature }) }];
}

/** Returns the sealed signature of a thought; undefined if the server sends no signature. */
export function signatureOf(block: JsonObject, signatures: Signatures): string | undefined {
  const { type, signature, data } = sealBlock(block, signatures);
  const sealed = type === 'thinking' ? signature : data;
  return typeof sealed === 'string' && sealed !== '' ? sealed : undefined;
}

/** Returns whether a block calls a tool of the caller. */
export const isCall = ({ type, name }: JsonObject, answerTool: string | undefined): boolean =>
  type === 'tool_use' && !isAnswerTool(name, answerTool);

/** Returns whether a call is of the tool whose input is the answer. */
export const isAnswerTool = (name: unknown, answerTool: string | undefined): boolean =>
  answerTool !== undefined && name === answerTool;

/** Returns the output text of a block. The answer tool's name does not count, because no caller receives it. */
export const outputOf = (block: JsonObject, answerTool: string | undefined): string =>
  textOf(isAnswerTool(block.name, answerTool) ? { ...block, name: '' } : block);

const inputOf = ({ input }: JsonObject): string => JSON.stringify(input ?? {});

const isNotEmpty = (part: AssistantPart): boolean => part.type !== 'text' || part.text !== '';

/** Returns the id and the name of a called tool. Throws `UpstreamFailure` if the block lacks either. */
export function callOf({ id, name }: JsonObject): { readonly id: string; readonly name: string } {
  if (typeof id !== 'string' || typeof name !== 'string') throw new UpstreamFailure('protocol');
  return { id, name };
}
