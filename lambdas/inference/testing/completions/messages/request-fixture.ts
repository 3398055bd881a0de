/** A Messages request as the endpoint would take it: checked by the real schema. */

import { validate } from '../../../../platform/core/json/json-body.ts';
import { parseJson } from '../../../../platform/core/json/lossless-json.ts';
import type { MessagesRequest } from '../../../formats/messages/request.ts';
import { messagesRequest } from '../../../formats/messages/schema.ts';

const DEFAULTS = { model: 'a/b', messages: [{ role: 'user', content: 'Hi' }] };

/** Goes through JSON text, as a request does. Throws `ServiceError`. */
export const request = (fields: Readonly<Record<string, unknown>> = {}): MessagesRequest =>
  requestOf(JSON.stringify({ ...DEFAULTS, ...fields }));

export const requestOf = (json: string): MessagesRequest => validate(messagesRequest, parseJson(json));

/** A request of one user message with these blocks. */
export const withBlocks = (...content: readonly unknown[]): MessagesRequest =>
  request({ messages: [{ role: 'user', content }] });

/** The turns of a call of one tool and its result. */
export const toolTurns = (input: unknown, result: Readonly<Record<string, unknown>>) => [
  { role: 'user', content: 'Weather?' },
  { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'weather', input }] },
  { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', ...result }] },
];

export const PNG = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGk=' } };
export const LINKED = { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } };
