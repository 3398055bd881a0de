/** How long an answer may be: as its caller says, or as the operator has decided for the model. */
import { ServiceError } from '../../errors.ts';
import type { Model } from '../catalog/catalog-document.ts';

/** What a request says of it. */
export interface AskedBound {
  /** The most output tokens of one choice; undefined where the caller does not say. */
  readonly tokens: number | undefined;
  /** The field that says so. */
  readonly param: string;
  /** What counts in its place; undefined in an API format that leaves an unsaid bound to the service. */
  readonly fallback: number | undefined;
}

export interface OutputBound {
  /** Undefined: as long as balance, limits and model allow. */
  readonly tokens: number | undefined;
  /** It is not what the caller asked for. */
  readonly isChosen: boolean;
}

type Limits = Pick<Model, 'id' | 'max_output_tokens' | 'default_max_tokens' | 'clamp_max_tokens'>;

/**
 * The bound of an answer that any of the models may write. Throws 400 when more is asked for than a model writes, unless
 * the operator has its requests clamped.
 */
export function outputBound(
  models: readonly Limits[],
  { tokens: asked, param, fallback }: AskedBound,
): OutputBound {
  if (asked === undefined) {
    const tokens = fallback === undefined ? undefined : (models[0]?.default_max_tokens ?? fallback);
    return { tokens: tokens === undefined ? undefined : atMost(models, tokens), isChosen: true };
  }
  const strict = models.find(
    ({ max_output_tokens: most, clamp_max_tokens: clamped }) =>
      most !== undefined && asked > most && !clamped,
  );
  if (strict !== undefined) {
    const message = `${param}: ${strict.id} writes at most ${strict.max_output_tokens} tokens.`;
    throw new ServiceError('invalid_value', message, { param });
  }
  const tokens = atMost(models, asked);
  return { tokens, isChosen: tokens !== asked };
}

const atMost = (models: readonly Limits[], tokens: number): number =>
  Math.min(tokens, ...models.map(({ max_output_tokens: most }) => most ?? tokens));
