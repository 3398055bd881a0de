/**
 * The body of a caller of the Messages protocol, as a route takes it: what only a beta unlocks is left out where the
 * route does not have the beta and the answer is the same without it, and a system message between turns is a user's
 * where the route takes none there. Any other field passes as it is, and the route judges it.
 */

import { isJsonObject, type JsonObject } from '../../../platform/core/json/lossless-json.ts';
import { betaName, lockedFields } from '../../core/catalog/betas.ts';
import type { CatalogRoute } from '../../core/catalog/catalog-document.ts';
import { reminderOf } from '../../core/upstream/system-reminder.ts';

const OF_TOOLS = 'tools[].';

/** `betas`: those that are sent to the route. */
export function nativeBody(
  body: JsonObject,
  { betas, dialect }: { readonly betas: readonly string[]; readonly dialect: CatalogRoute['dialect'] },
): JsonObject {
  const names = new Set(betas.map(betaName));
  const { messages, tools } = body;
  const takesSystem = dialect?.system_messages === 'anywhere' || names.has('mid-conversation-system');
  const reminds = !takesSystem && Array.isArray(messages) && messages.some(isSystem);
  const locked = lockedFields(betas);
  const lockedOfTools = locked.flatMap((field) =>
    field.startsWith(OF_TOOLS) ? [field.slice(OF_TOOLS.length)] : [],
  );
  return {
    ...without(body, locked),
    ...(Array.isArray(tools)
      ? { tools: tools.map((tool) => (isJsonObject(tool) ? without(tool, lockedOfTools) : tool)) }
      : {}),
    ...(reminds ? { messages: remindingMessages(messages) } : {}),
  };
}

const without = (given: JsonObject, fields: readonly string[]): JsonObject =>
  fields.some((field) => given[field] !== undefined)
    ? Object.fromEntries(Object.entries(given).filter(([field]) => !fields.includes(field)))
    : given;

const isSystem = (message: unknown): message is JsonObject =>
  isJsonObject(message) && message.role === 'system';

/** In the order of `withReminders`; neighbours of one role are one message to the protocol. */
function remindingMessages(messages: readonly unknown[]): unknown[] {
  const sent: unknown[] = [];
  const waiting: unknown[] = [];
  for (const message of messages) {
    if (isSystem(message)) {
      const reminder = { role: 'user', content: toReminders(message.content) };
      (isRole(sent.at(-1), 'user') ? sent : waiting).push(reminder);
    } else if (isRole(message, 'user')) sent.push(message, ...waiting.splice(0));
    else sent.push(...waiting.splice(0), message);
  }
  return [...sent, ...waiting];
}

const isRole = (message: unknown, role: string): boolean => isJsonObject(message) && message.role === role;

/** The texts, with their marks for a cache. */
function toReminders(content: unknown): unknown {
  if (typeof content === 'string') return reminderOf(content);
  if (!Array.isArray(content)) return content;
  return content.map((block) =>
    isJsonObject(block) && typeof block.text === 'string'
      ? { ...block, text: reminderOf(block.text) }
      : block,
  );
}
