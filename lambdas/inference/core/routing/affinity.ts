/**
 * Sends the turns of a conversation to the same route while the routes are the same, so that the provider's cache is
 * used. Nothing is stored. A keyed hash of the conversation replaces chance in the weighted draw among equal routes
 * (rendezvous hashing: Thaler and Ravishankar, 1998). Over many conversations, each route gets its share. An added or
 * removed route moves no other route's conversations.
 */
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import type { Peppers } from '../../../access/core/keys/api-key.ts';
import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import type { CatalogRoute } from '../catalog/catalog-document.ts';

/** In place of chance: a number in [0, 1) for each route. */
export type RouteChance = (route: Pick<CatalogRoute, 'id'>) => number;

/**
 * Headers by which clients name a session, in the order in which they count: any client's, opencode's, Claude Code's
 * and Codex's (their requests, as of 2026-11).
 */
const SESSION_HEADERS = ['x-session-id', 'x-session-affinity', 'x-claude-code-session-id', 'session-id'];

/**
 * The maximum characters of the instructions, and of the first message. They are enough to distinguish conversations.
 */
const MAX_TEXT_CHARACTERS = 4_096;

/** Claude Code's first system text, which may differ from turn to turn. */
const ATTRIBUTION = 'x-anthropic-billing-header:';

/**
 * The chances of one account's conversation; other accounts' conversations of that name have others. The conversation
 * is read only if there is more than one route to choose from.
 */
export function affinityOf({ current }: Peppers, accountId: string, conversation: () => string): RouteChance {
  let key: KeyObject | undefined;
  return ({ id }) => {
    // Node takes ten times as long to use the bytes themselves as the key.
    key ??= createSecretKey(
      createHmac('sha256', current)
        .update(JSON.stringify(['route affinity', accountId, conversation()]))
        .digest(),
    );
    return createHmac('sha256', key).update(id).digest().readUIntBE(0, 6) / 2 ** 48;
  };
}

/**
 * Returns the text that distinguishes a conversation from others and is the same at each turn: the caller's name for
 * it, or else its opening.
 */
export function conversationIn(headers: Pick<Headers, 'get'>, request: object): string {
  const { session_id: session, prompt_cache_key: cacheKey } = request as JsonObject;
  const names = [session, ...SESSION_HEADERS.map((name) => headers.get(name)), cacheKey];
  const name = names.find((one) => typeof one === 'string' && one !== '');
  return JSON.stringify(
    name === undefined ? ['opening', ...openingOf(request as JsonObject)] : ['session', name],
  );
}

/** The instructions and the first user message, of a request in any of the API formats. */
function openingOf({ system, instructions, messages, input }: JsonObject): readonly string[] {
  const turns = messages ?? input;
  const items: readonly unknown[] = Array.isArray(turns) ? turns : [{ role: 'user', content: turns }];
  const first = items.findIndex((item) => (Object(item) as JsonObject).role === 'user');
  const before = first === -1 ? items : items.slice(0, first);
  return [textOf([system, instructions, before]), textOf(items[first])];
}

/** Returns the start of its texts, without cache breakpoints, which move from turn to turn. */
function textOf(value: unknown): string {
  let text = '';
  const collect = (part: unknown): void => {
    if (text.length >= MAX_TEXT_CHARACTERS) return;
    if (typeof part === 'string') {
      if (!part.startsWith(ATTRIBUTION)) text += part.slice(0, MAX_TEXT_CHARACTERS - text.length);
    } else if (Array.isArray(part)) for (const one of part) collect(one);
    else if (typeof part === 'object' && part !== null) {
      const { text: partText, content } = part as JsonObject;
      collect(partText);
      collect(content);
    }
  };
  collect(value);
  return text;
}
