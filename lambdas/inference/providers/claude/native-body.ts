/**
 * Adapts the body of a Messages caller to a route. A field that only a beta unlocks is dropped if the route lacks the
 * beta and the response is the same without it. A system message between turns becomes a user's message if the route
 * accepts none there. A temperature above the protocol's maximum becomes that maximum. Any other field passes unchanged,
 * and the route validates it.
 */

import { isJsonObject, type JsonObject } from '../../../platform/core/json/lossless-json.ts';
import { betaName, lockedFields } from '../../core/catalog/betas.ts';
import type { CatalogRoute } from '../../core/catalog/catalog-document.ts';
import { reminderOf } from '../../core/upstream/system-reminder.ts';

/** Claude API reference, Create a Message, `temperature`. */
export const MAX_TEMPERATURE = 1;

/** `betas`: those that are sent to the route. */
export function nativeBody(
  body: JsonObject,
  { betas, dialect }: { readonly betas: readonly string[]; readonly dialect: CatalogRoute['dialect'] },
): JsonObject {
  const names = new Set(betas.map(betaName));
  const { messages, tools, thinking, temperature } = body;
  const takesSystem = dialect?.system_messages === 'anywhere' || names.has('mid-conversation-system');
  const reminds = !takesSystem && Array.isArray(messages) && messages.some(isSystem);
  const locked = lockedFields(betas);
  const lockedIn = (parent: string) =>
    locked.flatMap((field) => (field.startsWith(parent) ? [field.slice(parent.length)] : []));
  const lockedOfTools = lockedIn('tools[].');
  return {
    ...without(body, locked),
    ...(Array.isArray(tools)
      ? { tools: tools.map((tool) => (isJsonObject(tool) ? without(tool, lockedOfTools) : tool)) }
      : {}),
    ...(isJsonObject(thinking) ? { thinking: without(thinking, lockedIn('thinking.')) } : {}),
    ...(typeof temperature === 'number' && temperature > MAX_TEMPERATURE
      ? { temperature: MAX_TEMPERATURE }
      : {}),
    ...(reminds ? { messages: remindingMessages(messages) } : {}),
  };
}

const without = (object: JsonObject, fields: readonly string[]): JsonObject =>
  fields.some((field) => object[field] !== undefined)
    ? Object.fromEntries(Object.entries(object).filter(([field]) => !fields.includes(field)))
    : object;

const isSystem = (message: unknown): message is JsonObject =>
  isJsonObject(message) && message.role === 'system';

/** In the order of `withReminders`; neighbours of one role are one message to the protocol. */
function remindingMessages(messages: readonly unknown[]): unknown[] {
  const sentMessages: unknown[] = [];
  const waiting: unknown[] = [];
  for (const message of messages) {
    if (isSystem(message)) {
      const reminder = { role: 'user', content: toReminders(message.content) };
      (isRole(sentMessages.at(-1), 'user') ? sentMessages : waiting).push(reminder);
    } else if (isRole(message, 'user')) sentMessages.push(message, ...waiting.splice(0));
    else sentMessages.push(...waiting.splice(0), message);
  }
  return [...sentMessages, ...waiting];
}

const isRole = (message: unknown, role: string): boolean => isJsonObject(message) && message.role === role;

/** Returns the texts as reminders, with their cache breakpoints. */
function toReminders(content: unknown): unknown {
  if (typeof content === 'string') return reminderOf(content);
  if (!Array.isArray(content)) return content;
  return content.map((block) =>
    isJsonObject(block) && typeof block.text === 'string'
      ? { ...block, text: reminderOf(block.text) }
      : block,
  );
}
