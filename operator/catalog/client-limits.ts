/**
 * The outputs that coding agents request by the names of models that they know. A call for more than a model writes is
 * rejected, so an alias of such a name needs a model that writes as much. `npm run test:clients` compares them with
 * what the agents send.
 */
import type { Model } from '../../lambdas/inference/core/catalog/catalog-document.ts';

export interface ClientLimit {
  /** The agent, at the version whose requests were read. */
  readonly client: string;
  /** The `max_tokens` of its requests. */
  readonly tokens: number;
}

/**
 * A chat model that writes less reduces requests to its limit in the catalogs of this repository and of `catalog import`.
 * It is twice what Claude Code and opencode request of a model whose name they do not know.
 */
export const MIN_STRICT_TOKENS = 64_000;

const limits = (client: string, tokens: number, ...names: readonly string[]) =>
  names.map((name) => [name, { client, tokens }] as const);

const CLAUDE_CODE = 'Claude Code 2.1.330';

/** The limits by the name of the model, without a date; the largest if several agents know the name. */
export const CLIENT_LIMITS: ReadonlyMap<string, ClientLimit> = new Map([
  ...limits(
    CLAUDE_CODE,
    128_000,
    'claude-opus-5-5',
    'claude-sonnet-5-5',
    'claude-haiku-5-5',
    'claude-fable-5-2',
  ),
  ...limits(CLAUDE_CODE, 64_000, 'claude-fable-5-1', 'claude-fable-5', 'claude-opus-5', 'claude-sonnet-5'),
  ...limits(CLAUDE_CODE, 64_000, 'claude-opus-4-8', 'claude-opus-4-7', 'claude-opus-4-6'),
  // Its titles have 16,000 tokens of thinking in addition to 32,000.
  ...limits('opencode 1.18.33', 48_000, 'claude-haiku-4-5'),
  ...limits(CLAUDE_CODE, 32_000, 'claude-sonnet-4-6', 'claude-sonnet-4-5', 'claude-opus-4-5'),
]);

type NamedModel = Pick<Model, 'id' | 'aliases' | 'max_output_tokens' | 'clamp_max_tokens'>;

/** Returns a warning for each name of a model by which an agent requests more than the model writes. */
export const clientWarnings = (models: readonly NamedModel[]): readonly string[] =>
  models.flatMap(({ id, aliases, max_output_tokens: limit, clamp_max_tokens: isClamped }) =>
    [id, ...aliases].flatMap((name) => {
      const known = CLIENT_LIMITS.get(name.replace(/-\d{8}$/, ''));
      if (known === undefined || limit === undefined || limit >= known.tokens || isClamped) return [];
      return [
        `${name}: ${known.client} requests ${known.tokens} tokens, but ${id} writes at most ${limit}. Raise max_output_tokens if the vendor allows it, else set clamp_max_tokens.`,
      ];
    }),
  );
