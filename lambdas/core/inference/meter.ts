/** The count of one answer: the route's own figures where it gives them, else the delivered text. */
import type { Admission } from '../ledger/admission.ts';
import type { Settlement } from '../ledger/settlement.ts';
import type { CallStatus } from '../ledger/usage-record.ts';
import { countPromptTokens, OutputCounter, type PromptSize } from './estimate.ts';
import { type TokenUsage, tokenCost } from './price.ts';
import type { Candidate } from './route-choice.ts';

export class Meter {
  readonly #candidate: Candidate;
  readonly #admission: Admission;
  readonly #prompt: PromptSize;
  readonly #counter = new OutputCounter();
  #reported: TokenUsage | undefined;

  constructor(candidate: Candidate, admission: Admission, prompt: PromptSize) {
    this.#candidate = candidate;
    this.#admission = admission;
    this.#prompt = prompt;
  }

  add(event: { readonly text: string; readonly usage?: TokenUsage | undefined }): void {
    if (event.text !== '') this.#counter.add(event.text);
    if (event.usage !== undefined) this.#reported = event.usage;
  }

  get usage(): TokenUsage {
    return (
      this.#reported ?? {
        promptTokens: countPromptTokens(this.#prompt),
        cachedTokens: 0,
        completionTokens: this.#counter.tokens,
      }
    );
  }

  settle(status: CallStatus): Promise<Settlement> {
    const { usage } = this;
    const { model, route } = this.#candidate;
    const estimated = this.#reported === undefined;
    const cost = tokenCost(model, usage);
    const { amount } = this.#admission.hold;
    return this.#admission.settle({
      model: model.id,
      inputUnits: usage.promptTokens,
      cachedUnits: usage.cachedTokens,
      outputUnits: usage.completionTokens,
      unit: 'token',
      // The service's own count never charges beyond what the caller allowed.
      cost: estimated && cost > amount ? amount : cost,
      estimated,
      route: route.id,
      status,
      tokens: usage.promptTokens + usage.completionTokens,
    });
  }
}
