/** `POST /v1/messages/count_tokens`: what a Messages request would probably count as prompt; nothing is billed. */
import { authenticate, type Peppers } from '../../core/access/api-key.ts';
import { type CatalogSource, requireModel } from '../../core/inference/catalog/catalog.ts';
import type { CompletionDependencies } from '../../core/inference/completions/completion-endpoint.ts';
import { messagesFormat } from '../../core/inference/completions/messages/format.ts';
import { messagesRequest } from '../../core/inference/completions/messages/schema.ts';
import { countPromptTokens } from '../../core/inference/metering/estimate.ts';
import { promptSizeOf } from '../../core/inference/metering/prompt-size.ts';
import { readJson, validate } from '../../core/json/json-body.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import type { KeyGate } from '../../core/ledger/key-gate.ts';
import type { Endpoint } from '../../core/ports.ts';

export interface CountMessageTokensDependencies {
  readonly peppers: () => Promise<Peppers>;
  readonly catalog: CatalogSource;
  readonly gate: KeyGate;
  readonly capsules: CompletionDependencies['capsules'];
}

/** The count is the service's own, the one a call is billed by where its route reports none. */
export function countMessageTokens({
  peppers,
  catalog,
  gate,
  capsules: capsulesOf,
}: CountMessageTokensDependencies): Endpoint {
  return async (request) => {
    const known = await peppers();
    const key = authenticate(request.headers, known);
    const capsules = capsulesOf(known)(key.accountId);
    const { body, model } = await gate.checked(key, async () => {
      const { value } = await readJson(request);
      const valid = validate(messagesRequest, value);
      return { body: valid, model: requireModel(await catalog(), valid.model, 'chat', 'model') };
    });
    const { headers } = await gate.touch(key);
    const prompt = promptSizeOf(messagesFormat.toPayload(body, capsules).body);
    return jsonResponse({ input_tokens: countPromptTokens(prompt, model) }, headers);
  };
}
