/** The needs of a request's fields, which its route must meet. `param` is the path of the field. */

/**
 * - `cache`: the vendor caches the parts with a caller's cache breakpoints, so a converted request contains the
 * breakpoints too.
 * - `documents`: the model reads PDF files.
 * - `audio`: the model reads the audio in a message.
 */
export const CAPABILITIES = ['tools', 'json', 'vision', 'documents', 'audio', 'stream', 'cache'] as const;
export type Capability = (typeof CAPABILITIES)[number];

/** Features that some protocols can express and others cannot; `conversation.ts` has the others. */
export type Feature =
  /** Several outputs for one prompt. */
  | 'choices'
  /** Images that the upstream fetches itself. */
  | 'image-urls'
  /** PDF documents in a user's messages. */
  | 'documents'
  /** Documents that the upstream fetches itself. */
  | 'document-urls'
  /** Audio in a user's messages. */
  | 'audio'
  /** Strings at which an output stops. The Responses protocol has no field for them. */
  | 'stop-sequences'
  /** A last turn of the user without visible text, which Claude rejects. */
  | 'blank-turns'
  /** Cited documents, server tools and other blocks of the Messages protocol alone. */
  | 'messages-blocks'
  /** Tools and items of the Responses protocol alone. */
  | 'responses-items';

export type Need =
  /** A capability of the route's model, as specified by the operator. */
  | { readonly kind: 'capability'; readonly name: Capability; readonly param: string }
  /** A feature that the route's protocol can express. `of` describes the field if the feature's name is not enough. */
  | { readonly kind: 'feature'; readonly name: Feature; readonly of?: string; readonly param: string }
  /** The address leads to the public internet: the upstream fetches it. */
  | { readonly kind: 'address'; readonly url: string; readonly param: string }
  | PricedFeature;

/** A feature that the provider charges separately from plain tokens at the standard tier. */
export type PricedFeature =
  /** A tier other than the standard one: `priority`, `flex`, `scale`; Anthropic's `speed: "fast"` is the tier `fast`. */
  | { readonly kind: 'service-tier'; readonly name: string; readonly param: string }
  /** An inference region with its own price, such as Anthropic's `inference_geo: "us"`. */
  | { readonly kind: 'region'; readonly name: string; readonly param: string }
  /** A write of all or part of the prompt to a cache for `5m`, `1h` or `24h`. */
  | { readonly kind: 'cache-write'; readonly lifetime: string; readonly param: string }
  /** Tokens that are not text. */
  | { readonly kind: 'tokens'; readonly rate: TokenRate; readonly param: string }
  /** A tool that the provider runs, such as `web_search` or `mcp`; `maxUses` if the request limits it. */
  | {
      readonly kind: 'server-tool';
      readonly name: string;
      readonly maxUses: number | undefined;
      readonly param: string;
    }
  /** Output beyond `max_tokens`: the provider charges the rejected tokens of a prediction, at most those of `strings`. */
  | { readonly kind: 'output'; readonly strings: readonly string[]; readonly param: string }
  /** A feature that no price can express, or that makes the provider store data (`store: true`). Always rejected. */
  | { readonly kind: 'unpriced'; readonly param: string };

export type TokenRate = 'audio_input' | 'audio_output' | 'image_output' | 'video_input';

export const isPriced = (need: Need): need is PricedFeature =>
  need.kind !== 'capability' && need.kind !== 'feature' && need.kind !== 'address';
