/** The usage of one response: the route's values if they are plausible, else the count of the delivered text. */
import type { Admission, Settlement } from '../../../ledger/core/call.ts';
import { type CallStatus, factorOf, type UnbilledUsage } from '../../../ledger/core/usage-record.ts';
import type { Candidate } from '../catalog/catalog-document.ts';
import type { BillableItems, TokenBounds } from '../pricing/billable-items.ts';
import { laterUsage, NO_TOKENS, type TokenUsage } from '../pricing/token-usage.ts';
import { OutputCounter, type PromptTokens } from './estimate.ts';
import { billBasis, type PricedUsage, priceUsage, tokenPrices } from './priced-usage.ts';

export interface MeterOptions {
  readonly candidate: Candidate;
  readonly admission: Pick<Admission, 'settle'>;
  readonly prompt: Pick<PromptTokens, 'upper'>;
  /** The billable items of the call. */
  readonly billableItems: BillableItems;
  /** The version of the catalog that has the prices. */
  readonly catalog: string;
  /** The upper bound of the tokens that the call is billed for. The operator loses the excess that a route reports. */
  readonly bound: TokenBounds;
  /** Called when the route reports more: it is wrong, or the bound of its model is too low. */
  readonly onExcess: () => void;
}

interface MeasuredUsage {
  readonly usage: TokenUsage;
  /** The service counted some of it itself. */
  readonly estimated: boolean;
}

/** No token of the vocabularies that are measured is longer: o200k has one of this many blanks. */
const LONGEST_TOKEN_CHARACTERS = 128;

export class Meter {
  readonly #options: MeterOptions;
  readonly #counter = new OutputCounter();
  #characters = 0;
  #reported: TokenUsage | undefined;

  constructor(options: MeterOptions) {
    this.#options = options;
  }

  /** Adds one event. */
  add(event: { readonly outputText: string; readonly usage?: TokenUsage | undefined }): void {
    if (event.outputText !== '') this.#counter.add(event.outputText);
    this.#characters += event.outputText.length;
    const { usage } = event;
    if (usage !== undefined)
      this.#reported = this.#reported === undefined ? usage : laterUsage(this.#reported, usage);
  }

  /** Returns the usage by which a complete response is billed. */
  get usage(): TokenUsage {
    return this.#measured('completed').usage;
  }

  settle(status: CallStatus): Promise<Settlement> {
    const { candidate, catalog, admission, onExcess } = this.#options;
    const { usage, estimated } = this.#measured(status);
    const priced = this.#price(usage);
    if (this.#exceedsBound()) onExcess();
    return admission.settle({
      model: candidate.model.id,
      inputUnits: usage.promptTokens,
      cachedUnits: usage.cachedTokens,
      outputUnits: usage.completionTokens,
      unit: 'token',
      excess: this.#excess(),
      estimated,
      route: candidate.route.id,
      status,
      tokens: usage.promptTokens + usage.completionTokens,
      ...billBasis(priced, { catalog, route: candidate.route }),
    });
  }

  #exceedsBound(): boolean {
    const { bound, billableItems } = this.#options;
    const { promptTokens, completionTokens, uses = {} } = this.#reported ?? NO_TOKENS;
    const overused = Object.entries(uses).some(
      ([name, count]) => count > (billableItems.uses.get(name) ?? 0),
    );
    return promptTokens > bound.prompt || completionTokens > bound.completion || overused;
  }

  /** Returns the cost of the reported usage beyond the bound. */
  #excess(): UnbilledUsage | undefined {
    const { bound } = this.#options;
    const reported = this.#reported ?? NO_TOKENS;
    const { promptTokens, completionTokens } = reported;
    const factor = Math.max(promptTokens / bound.prompt, completionTokens / bound.completion);
    if (!(factor > 1)) return undefined;
    const amount = this.#price(reported).amount - this.#price(this.#withinBound(reported)).amount;
    return amount > 0n ? { amount, factor: factorOf(factor) } : undefined;
  }

  #measured(status: CallStatus): MeasuredUsage {
    const { candidate, prompt } = this.#options;
    const reported = this.#reported ?? NO_TOKENS;
    const { isBlocked = false } = reported;
    // A route that took a prompt and gave text, and reports zero of them, has not counted. The text of a guardrail has no tokens.
    const reportsPrompt = isBlocked || reported.promptTokens > 0;
    const minTokens = isBlocked ? 0 : Math.ceil(this.#characters / LONGEST_TOKEN_CHARACTERS);
    const reportsOutput = this.#reported !== undefined && reported.completionTokens >= minTokens;
    // A route that broke off may have given more than it had reported by then.
    const isBehind = status === 'interrupted' && this.#counter.tokens > reported.completionTokens;
    const countsOutput = isBehind || !reportsOutput;
    const usage = this.#withinBound({
      ...reported,
      promptTokens: reportsPrompt ? reported.promptTokens : prompt.upper(candidate.model),
      completionTokens: countsOutput ? this.#counter.tokens : reported.completionTokens,
    });
    return { usage, estimated: countsOutput || !reportsPrompt };
  }

  #price(usage: TokenUsage): PricedUsage {
    const { candidate, billableItems } = this.#options;
    return priceUsage(tokenPrices(candidate.model), billableItems, usage);
  }

  #withinBound(usage: TokenUsage): TokenUsage {
    const { bound } = this.#options;
    const promptTokens = Math.min(usage.promptTokens, bound.prompt);
    return {
      ...usage,
      promptTokens,
      cachedTokens: Math.min(usage.cachedTokens, promptTokens),
      completionTokens: Math.min(usage.completionTokens, bound.completion),
    };
  }
}
