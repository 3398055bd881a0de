/** Responses requests as the endpoint would take them: checked by the real schema, with real sealed tokens. */

import { ServiceError } from '../../../../platform/core/errors.ts';
import { validate } from '../../../../platform/core/json/json-body.ts';
import { parseJson } from '../../../../platform/core/json/lossless-json.ts';
import type { SealedTokens } from '../../../core/upstream/sealed-tokens.ts';
import type { ResponsesItem } from '../../../formats/responses/input/items.ts';
import { toPayload } from '../../../formats/responses/payload.ts';
import type { ResponsesRequest } from '../../../formats/responses/request.ts';
import { responsesRequest } from '../../../formats/responses/schema.ts';
import { createSealedTokens } from '../../../store/sealed-tokens.ts';

export type Fields = Readonly<Record<string, unknown>>;

const DEFAULTS = { model: 'a/b', input: 'Hi' };

/** Goes through JSON text, as a request does. Throws `ServiceError`. */
export const request = (fields: Fields = {}): ResponsesRequest =>
  validate(responsesRequest, parseJson(JSON.stringify({ ...DEFAULTS, ...fields })));

export const CAPSULES: SealedTokens = createSealedTokens(
  { current: 'a pepper that only these tests know' },
  Date.now,
)('acc_1');

export const payloadOf = (fields: Fields = {}, sealedTokens = CAPSULES) =>
  toPayload(request(fields), sealedTokens);

/** The input of the body for a native route. */
export const inputOf = (input: readonly unknown[], sealedTokens = CAPSULES) =>
  payloadOf({ input }, sealedTokens).body.input as readonly ResponsesItem[];

/** Returns the error of a rejected request: the code, the field and the message. */
export function rejectionOf(act: () => unknown): { code: string; param: string | null; message: string } {
  try {
    act();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const { code, param, message } = error;
    return { code, param, message };
  }
  throw new Error('the request was taken');
}

/** Sealed tokens that count how often one is opened. */
export function countingSealedTokens(): { sealedTokens: SealedTokens; opened: () => number } {
  let opened = 0;
  return {
    opened: () => opened,
    sealedTokens: {
      seal: CAPSULES.seal,
      open(content, sealedToken, param) {
        const text = CAPSULES.open(content, sealedToken, param);
        if (text !== undefined) opened += 1;
        return text;
      },
    },
  };
}
