/** Payloads of requests that went through JSON text and the real schemas. */
import { validate } from '../../../platform/core/json/json-body.ts';
import { parseJson } from '../../../platform/core/json/lossless-json.ts';
import { toPayload as toChatPayload } from '../../formats/chat/payload.ts';
import { chatCompletionRequest } from '../../formats/chat/schema.ts';
import { toPayload as toMessagesPayload } from '../../formats/messages/payload.ts';
import { NO_SEALED_TOKENS } from '../upstream/no-sealed-tokens.ts';
import { request } from './messages/request-fixture.ts';

const DEFAULTS = { model: 'a/b', messages: [{ role: 'user', content: 'Hi' }] };

export const chatPayloadOf = (fields: object = {}, sealedTokens = NO_SEALED_TOKENS) =>
  toChatPayload(
    validate(chatCompletionRequest, parseJson(JSON.stringify({ ...DEFAULTS, ...fields }))),
    sealedTokens,
  );

export const messagesPayloadOf = (fields: object = {}, sealedTokens = NO_SEALED_TOKENS, headers?: Headers) =>
  toMessagesPayload(request({ ...fields }), sealedTokens, headers);
