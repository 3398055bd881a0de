/** What of a request changes what a provider charges or keeps. */

export type Demand =
  /** A tier other than the standard one: `priority`, `flex`, `scale`, `fast`. */
  | { readonly kind: 'service-tier'; readonly name: string; readonly param: string }
  /** A place of inference that has its own price. */
  | { readonly kind: 'region'; readonly name: string; readonly param: string }
  /** The prompt, or part of it, is written to a cache for this long: `5m`, `1h`, `24h`. */
  | { readonly kind: 'cache-write'; readonly lifetime: string; readonly param: string }
  /** Tokens of another kind than text. */
  | {
      readonly kind: 'tokens';
      readonly rate: 'audio_input' | 'audio_output' | 'image_output' | 'video_input';
      readonly param: string;
    }
  /** A tool that the provider runs; `maxUses` where the request bounds it. */
  | {
      readonly kind: 'feature';
      readonly name: string;
      readonly maxUses: number | undefined;
      readonly param: string;
    }
  /** Output beyond `max_tokens`, at most what these texts count: the rejected part of a prediction is charged as output. */
  | { readonly kind: 'output'; readonly texts: readonly string[]; readonly param: string }
  /** What no price can say, or what the provider would keep: always refused. */
  | { readonly kind: 'unpriced'; readonly param: string };
