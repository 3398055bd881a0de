/** The messages of a request as a host takes them that differs from the protocol. */

import { isJsonObject, type JsonObject } from '../../../platform/core/json/lossless-json.ts';
import type { Dialect } from '../../core/catalog/dialect.ts';
import { reminderOf } from '../../core/upstream/system-reminder.ts';
import { nineCharacterId } from '../../core/upstream/tool-calls.ts';

/** Texts of an assistant message if a host requires a separate one, or one with content. */
const AFTER_TOOLS = 'The tools have answered.';
const NO_CONTENT = '(no content)';

/** Between texts of one message that become one. */
const TEXT_BREAK = '\n\n';

type Messages = readonly JsonObject[];
type Pass = (messages: Messages) => Messages;

/**
 * Adapts the messages to the dialect. Anything except a list of objects is passed on, so that the vendor rejects it.
 */
export function dialectMessages(requestMessages: unknown, dialect: Dialect): unknown {
  if (!Array.isArray(requestMessages) || !requestMessages.every(isJsonObject)) return requestMessages;
  return passesOf(dialect).reduce<Messages>((messages, pass) => pass(messages), requestMessages);
}

function passesOf(dialect: Dialect): readonly Pass[] {
  return [
    ...(dialect.developer_role === false ? [each(asSystem)] : []),
    ...(dialect.system_messages === 'first' ? [systemFirst] : []),
    ...(dialect.empty_assistant === false ? [each(filled)] : []),
    ...(dialect.assistant_after_tools === true ? [assistantAfterTools] : []),
    ...(dialect.text_content === 'string' ? [each(plain)] : []),
    ...(dialect.tool_call_ids === 'nine-characters' ? [each(withShortIds)] : []),
  ];
}

const each =
  (change: (message: JsonObject) => JsonObject): Pass =>
  (messages) =>
    messages.map(change);

const asSystem = (message: JsonObject): JsonObject =>
  message.role === 'developer' ? { ...message, role: 'system' } : message;

const isSystem = ({ role }: JsonObject): boolean => role === 'system' || role === 'developer';

/**
 * Merges the system messages at the start of a conversation into one. The text of a later one is put at the start of
 * the next user message, or becomes a message at the end. Tool results stay behind their calls.
 */
function systemFirst(messages: Messages): Messages {
  const start = messages.findIndex((message) => !isSystem(message));
  const leading = start < 0 ? messages : messages.slice(0, start);
  const opening = leading.length > 1 ? [{ role: 'system', content: leading.flatMap(partsOf) }] : leading;
  const turns: JsonObject[] = [];
  let reminders: JsonObject[] = [];
  for (const message of start < 0 ? [] : messages.slice(start)) {
    if (isSystem(message)) reminders.push(...partsOf(message).map(reminder));
    else if (message.role === 'user' && reminders.length > 0) {
      turns.push({ ...message, content: [...reminders, ...partsOf(message)] });
      reminders = [];
    } else turns.push(message);
  }
  const last = reminders.length === 0 ? [] : [{ role: 'user', content: reminders }];
  return [...opening, ...turns, ...last];
}

const partsOf = ({ content }: JsonObject): readonly JsonObject[] =>
  Array.isArray(content) ? content : [{ type: 'text', text: content }];

const reminder = (part: JsonObject): JsonObject =>
  typeof part.text === 'string' ? { ...part, text: reminderOf(part.text) } : part;

const isBlank = (content: unknown): boolean =>
  content == null || content === '' || (Array.isArray(content) && content.length === 0);

const hasCalls = ({ tool_calls: calls }: JsonObject): boolean => Array.isArray(calls) && calls.length > 0;

/** Returns the message with content. A refusal replaces missing text. */
function filled(message: JsonObject): JsonObject {
  const { role, content, refusal } = message;
  if (role !== 'assistant' || !isBlank(content) || hasCalls(message)) return message;
  return { ...message, content: typeof refusal === 'string' && refusal !== '' ? refusal : NO_CONTENT };
}

const assistantAfterTools: Pass = (messages) =>
  messages.flatMap((message, index) =>
    message.role === 'user' && messages[index - 1]?.role === 'tool'
      ? [{ role: 'assistant', content: AFTER_TOOLS }, message]
      : [message],
  );

/**
 * Returns the message as plain text. With parts other than text, the message stays in parts, so that the vendor
 * validates them.
 */
function plain(message: JsonObject): JsonObject {
  const { content } = message;
  if (!Array.isArray(content) || content.length === 0) return message;
  const texts = content.flatMap((part) => {
    const text = part?.text ?? part?.refusal;
    return typeof text === 'string' ? [text] : [];
  });
  return texts.length < content.length ? message : { ...message, content: texts.join(TEXT_BREAK) };
}

function withShortIds(message: JsonObject): JsonObject {
  const { tool_calls: calls, tool_call_id: callId } = message;
  return {
    ...message,
    ...(typeof callId === 'string' ? { tool_call_id: nineCharacterId(callId) } : {}),
    ...(Array.isArray(calls) ? { tool_calls: calls.map(withShortId) } : {}),
  };
}

const withShortId = (call: unknown): unknown =>
  isJsonObject(call) && typeof call.id === 'string' ? { ...call, id: nineCharacterId(call.id) } : call;
