/** A whole answer of a server of the Messages protocol (Claude API reference, Create a Message, Message). */

import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import type { Signatures } from '../../core/upstream/capsules.ts';
import type { AssistantPart, AssistantReply } from '../../core/upstream/conversation.ts';
import { type Reply, type RouteAttempt, UpstreamFailure } from '../../core/upstream/provider.ts';
import { sealedBlock } from '../claude/thinking-blocks.ts';
import { objectOf } from '../http-upstream.ts';
import { toMessage } from '../message-fields.ts';
import { textOf, toFinish } from './content.ts';
import { toUsage } from './usage.ts';

/** The properties of a call that are needed to read its response. */
export interface MessagesCallContext extends Pick<RouteAttempt, 'payload' | 'identity' | 'signatures'> {
  /** The tool whose input is the answer's text. */
  readonly answerTool?: string | undefined;
}

/**
 * The answer: under our own id and model name for a caller of this protocol, else as a reply of no protocol. Throws
 * `UpstreamFailure` when it is not a finished message.
 */
export function toReply(body: unknown, context: MessagesCallContext): Extract<Reply, { kind: 'json' }> {
  const message = objectOf(body);
  const { content, stop_reason: reason, usage } = message;
  if (!Array.isArray(content) || typeof reason !== 'string') throw new UpstreamFailure('protocol');
  const blocks = content.map(objectOf);
  const native = context.payload.protocol === 'anthropic';
  const sealed = () => blocks.map((block) => sealedBlock(block, context.signatures));
  return {
    kind: 'json',
    answer: native
      ? { body: toMessage({ ...message, content: sealed() }, context.identity) }
      : { reply: toAssistantReply(message, blocks, context) },
    text: blocks.map((block) => outputOf(block, context.answerTool)).join(''),
    usage: toUsage(usage, native),
  };
}

function toAssistantReply(
  message: JsonObject,
  blocks: readonly JsonObject[],
  { answerTool, signatures }: MessagesCallContext,
): AssistantReply {
  const uses = blocks.filter(({ type }) => type === 'tool_use');
  const answer = uses.find(({ name }) => isAnswer(name, answerTool));
  const parts = blocks.flatMap((block): AssistantPart[] => {
    if (block.type === 'text')
      return typeof block.text === 'string' ? [{ type: 'text', text: block.text }] : [];
    if (block.type === 'thinking' || block.type === 'redacted_thinking')
      return toReasoning(block, signatures);
    if (block.type !== 'tool_use') return [];
    if (!isAnswer(block.name, answerTool))
      return [{ type: 'tool-call', ...callOf(block), arguments: inputOf(block) }];
    // The answer is one object; a second is ignored.
    return block === answer ? [{ type: 'text', text: inputOf(block) }] : [];
  });
  const answeredByTool = uses.length > 0 && uses.every(({ name }) => isAnswer(name, answerTool));
  return { parts: parts.filter(isNotEmpty), finish: toFinish(message, answeredByTool) };
}

/** One that shows nothing and proves nothing is left out. */
function toReasoning(block: JsonObject, signatures: Signatures): AssistantPart[] {
  const text = typeof block.thinking === 'string' ? block.thinking : '';
  const signature = signatureOf(block, signatures);
  if (text === '' && signature === undefined) return [];
  return [{ type: 'reasoning', text, ...(signature === undefined ? {} : { signature }) }];
}

/** Returns the sealed signature of a thought; undefined if the server sends no signature. */
export function signatureOf(block: JsonObject, signatures: Signatures): string | undefined {
  const { type, signature, data } = sealedBlock(block, signatures);
  const sealed = type === 'thinking' ? signature : data;
  return typeof sealed === 'string' && sealed !== '' ? sealed : undefined;
}

/** Returns whether a call is of the tool whose input is the answer. */
export const isAnswer = (name: unknown, answerTool: string | undefined): boolean =>
  answerTool !== undefined && name === answerTool;

/** The output text of a block; the answer tool's name does not count: no caller gets it. */
export const outputOf = (block: JsonObject, answerTool: string | undefined): string =>
  textOf(isAnswer(block.name, answerTool) ? { ...block, name: '' } : block);

const inputOf = ({ input }: JsonObject): string => JSON.stringify(input ?? {});

const isNotEmpty = (part: AssistantPart): boolean => part.type !== 'text' || part.text !== '';

/** Returns the id and the name of a called tool. Throws `UpstreamFailure` if the block lacks either. */
export function callOf({ id, name }: JsonObject): { readonly id: string; readonly name: string } {
  if (typeof id !== 'string' || typeof name !== 'string') throw new UpstreamFailure('protocol');
  return { id, name };
}
