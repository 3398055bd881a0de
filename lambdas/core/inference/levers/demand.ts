/** What a request asks for beside plain tokens at the standard tier: each has a price of its own, or is refused. */

/** Something in a request that changes what a provider charges or keeps, and the field that asks for it. */
export type Demand =
  /** A tier other than the standard one: `priority`, `flex`, `scale`, `fast` (OpenAI's `service_tier`; Anthropic's `speed: "fast"` is the tier `fast`). */
  | { readonly kind: 'service-tier'; readonly name: string; readonly param: string }
  /** A place of inference that has its own price (Anthropic's `inference_geo: "us"`). */
  | { readonly kind: 'region'; readonly name: string; readonly param: string }
  /** The prompt, or part of it, is written to a cache for this long: `5m`, `1h`, `24h`. */
  | { readonly kind: 'cache-write'; readonly lifetime: string; readonly param: string }
  /** Tokens of another kind than text. */
  | { readonly kind: 'tokens'; readonly rate: TokenRate; readonly param: string }
  /** A tool that the provider runs: `web_search`, `web_fetch`, `code_execution`, `file_search`, `mcp`, ...; `maxUses` where the request bounds it. */
  | {
      readonly kind: 'feature';
      readonly name: string;
      readonly maxUses: number | undefined;
      readonly param: string;
    }
  /** Output beyond `max_tokens`, at most what these texts count: the rejected part of a prediction is charged as output. */
  | { readonly kind: 'output'; readonly texts: readonly string[]; readonly param: string }
  /** What no price can say, or what the provider would keep (`store: true`, `background`, containers that live on, ...): always refused. */
  | { readonly kind: 'unpriced'; readonly param: string };

export type TokenRate = 'audio_input' | 'audio_output' | 'image_output' | 'video_input';
