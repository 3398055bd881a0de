/** The count of one answer: the route's own figures where they are possible, else the delivered text. */
import type { Admission } from '../../ledger/admission.ts';
import type { Settlement } from '../../ledger/settlement.ts';
import type { CallStatus } from '../../ledger/usage-record.ts';
import { greatest, least, type NanoUsd } from '../../money.ts';
import { type TokenUsage, tokenCost } from '../catalog/price.ts';
import type { Candidate } from '../routing/route-choice.ts';
import { countPromptTokens, OutputCounter } from './estimate.ts';
import type { PromptSize } from './prompt-size.ts';

export interface MeterOptions {
  readonly candidate: Candidate;
  readonly admission: Pick<Admission, 'hold' | 'settle'>;
  readonly prompt: PromptSize;
  /** What the call can count at most: more than that of what a route reports is not believed. */
  readonly most: { readonly promptTokens: number; readonly completionTokens: number };
  /** The route reports more: it is wrong, or what is held for its model is too little. */
  readonly onImpossible: () => void;
}

interface Bill {
  readonly usage: TokenUsage;
  /** The service counted some of it itself. */
  readonly estimated: boolean;
  readonly cost: NanoUsd;
}

/** No token of the vocabularies that are measured is longer: o200k has one of this many blanks. */
const LONGEST_TOKEN_CHARACTERS = 128;

const NOTHING: TokenUsage = { promptTokens: 0, cachedTokens: 0, completionTokens: 0 };

export class Meter {
  readonly #options: MeterOptions;
  readonly #counter = new OutputCounter();
  #characters = 0;
  #reported: TokenUsage | undefined;

  constructor(options: MeterOptions) {
    this.#options = options;
  }

  /** Takes one event in. Figures of a stream are cumulative, so those below earlier ones are ignored. */
  add(event: { readonly text: string; readonly usage?: TokenUsage | undefined }): void {
    if (event.text !== '') this.#counter.add(event.text);
    this.#characters += event.text.length;
    const { usage } = event;
    if (usage !== undefined && usage.completionTokens >= (this.#reported?.completionTokens ?? 0))
      this.#reported = usage;
  }

  /** What a complete answer is billed by. */
  get usage(): TokenUsage {
    return this.#bill('completed').usage;
  }

  settle(status: CallStatus): Promise<Settlement> {
    const { candidate, admission, onImpossible } = this.#options;
    const { usage, estimated, cost } = this.#bill(status);
    if (this.#isImpossible()) onImpossible();
    return admission.settle({
      model: candidate.model.id,
      inputUnits: usage.promptTokens,
      cachedUnits: usage.cachedTokens,
      outputUnits: usage.completionTokens,
      unit: 'token',
      cost,
      estimated,
      route: candidate.route.id,
      status,
      tokens: usage.promptTokens + usage.completionTokens,
    });
  }

  #isImpossible(): boolean {
    const { most } = this.#options;
    const { promptTokens, completionTokens } = this.#reported ?? NOTHING;
    return promptTokens > most.promptTokens || completionTokens > most.completionTokens;
  }

  #bill(status: CallStatus): Bill {
    const { candidate, admission, prompt } = this.#options;
    const reported = this.#reported ?? NOTHING;
    const counted = this.#counter.tokens;
    // A route that took a prompt and gave text, and reports zero of them, has not counted.
    const reportsPrompt = reported.promptTokens > 0;
    const fewest = Math.ceil(this.#characters / LONGEST_TOKEN_CHARACTERS);
    const reportsOutput = this.#reported !== undefined && reported.completionTokens >= fewest;
    // A route that broke off may have given more than it had reported by then.
    const isBehind = status === 'interrupted' && counted > reported.completionTokens;
    const usage = this.#possible({
      ...reported,
      promptTokens: reportsPrompt ? reported.promptTokens : countPromptTokens(prompt, candidate.model),
      completionTokens: reportsOutput && !isBehind ? reported.completionTokens : counted,
    });
    if (reportsPrompt && reportsOutput && !isBehind)
      return { usage, estimated: false, cost: tokenCost(candidate.model, usage) };
    // The service's own count never charges beyond what the caller allowed.
    const own = least(tokenCost(candidate.model, usage), admission.hold.amount);
    const reportedCost = tokenCost(candidate.model, this.#possible(reported));
    return { usage, estimated: true, cost: greatest(own, reportedCost) };
  }

  #possible(usage: TokenUsage): TokenUsage {
    const { most } = this.#options;
    const promptTokens = Math.min(usage.promptTokens, most.promptTokens);
    return {
      ...usage,
      promptTokens,
      cachedTokens: Math.min(usage.cachedTokens, promptTokens),
      completionTokens: Math.min(usage.completionTokens, most.completionTokens),
    };
  }
}
