/** A whole answer of a server of the Messages protocol (Claude API reference, Create a Message, Message). */
import type { AssistantPart, AssistantReply } from '../../core/inference/upstream/conversation.ts';
import { type Attempt, type Reply, UpstreamFailure } from '../../core/inference/upstream/provider.ts';
import type { JsonObject } from '../../core/json/lossless-json.ts';
import { objectOf } from '../http-upstream.ts';
import { toMessage } from '../message-fields.ts';
import { textOf, toFinish } from './content.ts';
import { toUsage } from './usage.ts';

/** What an answer is read for. */
export interface Asked extends Pick<Attempt, 'payload' | 'identity'> {
  /** The tool whose input is the answer's text. */
  readonly answerTool?: string | undefined;
}

/**
 * The answer: under our own id and model name for a caller of this protocol, else as a reply of no protocol. Throws
 * `UpstreamFailure` when it is not a finished message.
 */
export function toReply(body: unknown, asked: Asked): Extract<Reply, { kind: 'json' }> {
  const message = objectOf(body);
  const { content, stop_reason: reason, usage } = message;
  if (!Array.isArray(content) || typeof reason !== 'string') throw new UpstreamFailure('protocol');
  const blocks = content.map(objectOf);
  const native = asked.payload.protocol === 'anthropic';
  return {
    kind: 'json',
    answer: native
      ? { body: toMessage(message, asked.identity) }
      : { reply: toAssistantReply(message, blocks, asked.answerTool) },
    text: blocks.map((block) => outputOf(block, asked.answerTool)).join(''),
    usage: toUsage(usage, native),
  };
}

function toAssistantReply(
  message: JsonObject,
  blocks: readonly JsonObject[],
  answerTool: string | undefined,
): AssistantReply {
  const uses = blocks.filter(({ type }) => type === 'tool_use');
  const answer = uses.find(({ name }) => isAnswer(name, answerTool));
  const parts = blocks.flatMap((block): AssistantPart[] => {
    if (block.type === 'text')
      return typeof block.text === 'string' ? [{ type: 'text', text: block.text }] : [];
    if (block.type !== 'tool_use') return [];
    if (!isAnswer(block.name, answerTool))
      return [{ type: 'tool-call', ...callOf(block), arguments: inputOf(block) }];
    // The answer is one object; a second is ignored.
    return block === answer ? [{ type: 'text', text: inputOf(block) }] : [];
  });
  const answeredByTool = uses.length > 0 && uses.every(({ name }) => isAnswer(name, answerTool));
  return { parts: parts.filter(isNotEmpty), finish: toFinish(message, answeredByTool) };
}

/** Whether a call is of the tool whose input is the answer. */
export const isAnswer = (name: unknown, answerTool: string | undefined): boolean =>
  answerTool !== undefined && name === answerTool;

/** The output text of a block; the answer tool's name does not count: no caller gets it. */
export const outputOf = (block: JsonObject, answerTool: string | undefined): string =>
  textOf(isAnswer(block.name, answerTool) ? { ...block, name: '' } : block);

const inputOf = ({ input }: JsonObject): string => JSON.stringify(input ?? {});

const isNotEmpty = (part: AssistantPart): boolean => part.type !== 'text' || part.text !== '';

/** Who is called, and under which id. Throws `UpstreamFailure` when the block does not say. */
export function callOf({ id, name }: JsonObject): { readonly id: string; readonly name: string } {
  if (typeof id !== 'string' || typeof name !== 'string') throw new UpstreamFailure('protocol');
  return { id, name };
}
