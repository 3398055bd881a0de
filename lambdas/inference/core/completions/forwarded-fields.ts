/** The fields and tools of a request that leave for routes, and the names of those that do not. */

import { bareHost, isAddress, isPublicAddress } from '../../../platform/core/address.ts';
import { ServiceError } from '../../../platform/core/errors.ts';
import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import type { CatalogRoute, Model } from '../catalog/catalog-document.ts';
import { readFields } from '../fields/read-fields.ts';
import type { FieldTable } from '../fields/table.ts';
import { bodyFor } from '../quote.ts';
import { meets, type Providers } from '../routing/route-support.ts';
import type { Conversation } from '../upstream/conversation.ts';
import type { ChatPayload } from '../upstream/provider.ts';
import { withPlainDataUrls } from '../upstream/sources.ts';
import type { ApiFormat, CompletionBody } from './api-format.ts';

/**
 * Reads a request by the table of its format, whose `prompt` is the field with the messages. Throws 400 `invalid_value`
 * for an image or a file on a private network.
 */
export function readPayload(
  table: FieldTable,
  request: JsonObject,
  prompt: 'messages' | 'input',
): Pick<ChatPayload, 'body' | 'fields' | 'bodyWith'> {
  const items = withPlainDataUrls(request[prompt]);
  const plain = items === request[prompt] ? request : { ...request, [prompt]: items };
  const { body, ...fields } = readFields(table, plain);
  requirePublicImages(
    fields.needs.flatMap((need) => (need.kind === 'address' ? [need.url] : [])),
    prompt,
  );
  return {
    body,
    fields,
    ...(fields.undocumented.length === 0
      ? {}
      : { bodyWith: (takes) => readFields(table, plain, takes).body }),
  };
}

/** Builds the conversation of a payload at the first use, because several of its routes may need it, or none. */
export function builtOnce(build: () => Conversation): () => Conversation {
  let conversation: Conversation | undefined;
  return () => {
    conversation ??= build();
    return conversation;
  };
}

/**
 * The payload as one route takes it: with the undocumented fields that it lists, and without the sampling fields if its
 * model reasons (OpenAI docs, Reasoning models).
 */
export function payloadFor(route: CatalogRoute, fullPayload: ChatPayload): ChatPayload {
  const routeBody = bodyFor(fullPayload, [route]);
  const payload = routeBody === fullPayload.body ? fullPayload : { ...fullPayload, body: routeBody };
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

/**
 * Returns the indices of the tools that the request does not force and for which no route of the models has a price.
 * There are none if the caller wants only routes that receive every field.
 */
export function unservedTools<Body extends CompletionBody>(
  { optionalTools, fields, protocol }: Pick<ApiFormat<Body>, 'optionalTools' | 'fields' | 'protocol'>,
  request: Body,
  { models, providers }: { readonly models: readonly Model[]; readonly providers: Providers },
): ReadonlySet<number> {
  const { tools, max_tool_calls, provider } = request;
  const optional = optionalTools?.(request) ?? [];
  if (!Array.isArray(tools) || optional.length === 0 || provider?.require_parameters) return new Set();
  const candidates = models.flatMap((model) => model.routes.map((route) => ({ model, route })));
  const isServed = (index: number): boolean => {
    const { needs } = readFields(fields, { tools: [tools[index]], max_tool_calls });
    return candidates.some(
      (candidate) => 'billableItems' in meets(candidate, { protocol, needs }, providers),
    );
  };
  return new Set(optional.filter((index) => !isServed(index)));
}

/** Names that are resolved within a machine or a network (RFC 6761, section 6.3; RFC 6762; ICANN, `.internal`). */
const LOCAL_NAME = /^[^.]*\.?$|(^|\.)(localhost|local|internal)\.?$/;

/**
 * Rejects addresses on a private network, where an upstream would fetch its neighbors' data. Hostnames are not
 * resolved, because that is the upstream's task. Throws 400 `invalid_value` with this `param`.
 */
export function requirePublicImages(urls: readonly string[], param = 'messages'): void {
  for (const text of urls) {
    const url = text.startsWith('data:') ? undefined : URL.parse(text);
    if (url === undefined || isPublicHost(url)) continue;
    throw new ServiceError(
      'invalid_value',
      `${param}: an image or file URL must lead to a host on the public internet.`,
      { param },
    );
  }
}

function isPublicHost(url: URL | null): boolean {
  const hostname = bareHost(url?.hostname ?? '');
  return isAddress(hostname) ? isPublicAddress(hostname) : !LOCAL_NAME.test(hostname);
}
