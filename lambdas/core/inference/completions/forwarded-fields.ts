/** The fields of a request that leave for routes. */
import type { JsonObject } from '../../json/lossless-json.ts';
import type { Route } from '../catalog/catalog-document.ts';
import { readFields } from '../fields/read-fields.ts';
import type { FieldTable } from '../fields/table.ts';
import { takesOf } from '../routing/carries.ts';
import { requirePublicImages } from '../upstream/image-address.ts';
import type { ChatPayload } from '../upstream/provider.ts';

/**
 * Reads a request by the table of its format. Throws 400 `invalid_value` for an image or a file on a private network.
 */
export function readPayload(
  table: FieldTable,
  request: JsonObject,
): Pick<ChatPayload, 'body' | 'fields' | 'bodyWith'> {
  const { body, ...fields } = readFields(table, request);
  requirePublicImages(
    fields.needs.flatMap((need) => (need.kind === 'address' ? [need.url] : [])),
    'input' in request ? 'input' : 'messages',
  );
  return {
    body,
    fields,
    ...(fields.undocumented.length === 0
      ? {}
      : { bodyWith: (takes) => readFields(table, request, takes).body }),
  };
}

/** The body with every undocumented field that one of these routes takes. */
export function bodyFor(
  { protocol, body, bodyWith, fields }: Pick<ChatPayload, 'protocol' | 'body' | 'bodyWith' | 'fields'>,
  routes: readonly Route[],
): JsonObject {
  if (bodyWith === undefined) return body;
  const takers = routes.filter((route) => route.protocol === protocol).map(takesOf);
  const takes = (pattern: string) => takers.some((isTaken) => isTaken(pattern));
  return fields.undocumented.some(({ pattern }) => takes(pattern)) ? bodyWith(takes) : body;
}

/**
 * The payload as one route takes it: with the undocumented fields that it lists, and without the sampling fields if its
 * model reasons (OpenAI docs, Reasoning models).
 */
export function payloadFor(route: Route, given: ChatPayload): ChatPayload {
  const taken = bodyFor(given, [route]);
  const payload = taken === given.body ? given : { ...given, body: taken };
  if (!route.reasoning) return payload;
  const { temperature: _temperature, top_p: _topP, top_k: _topK, ...body } = payload.body;
  return {
    ...payload,
    body,
    conversation: () => {
      const { temperature: _warmth, topP: _share, ...conversation } = payload.conversation();
      return conversation;
    },
  };
}

/** Limits of the header, so that a request with many unknown names cannot make it larger than clients and proxies accept. */
const MAX_NAMES = 20;
const MAX_BYTES = 1_024;

/** The value of `x-ignored-fields`: percent-encoded names, then `...` if there are more than the header holds. */
export function ignoredFieldsHeader(names: ReadonlySet<string>): Readonly<Record<string, string>> {
  if (names.size === 0) return {};
  let value = '';
  let count = 0;
  for (const name of names) {
    // A lone surrogate has no encoding.
    const next = `${value === '' ? '' : `${value},`}${encodeURIComponent(name.toWellFormed())}`;
    if (count === MAX_NAMES || next.length > MAX_BYTES) {
      value = value === '' ? MORE : `${value},${MORE}`;
      break;
    }
    value = next;
    count += 1;
  }
  return { 'x-ignored-fields': value };
}

const MORE = '...';
