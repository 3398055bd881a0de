/** The needs of the fields of a request, which the route that serves it must meet. `param` is the path of the field. */

/**
 * `cache`: the host caches what a caller marks, so that a converted request has the marks too. `documents`: the model
 * reads PDF files; `audio`: it hears what is in a message.
 */
export const CAPABILITIES = ['tools', 'json', 'vision', 'documents', 'audio', 'stream', 'cache'] as const;
export type Capability = (typeof CAPABILITIES)[number];

/** Features that some protocols can express and others cannot; `conversation.ts` has the others. */
export type Feature =
  /** More than one answer to one prompt. */
  | 'choices'
  /** Images that the upstream fetches itself. */
  | 'image-urls'
  /** PDF documents in a user's messages. */
  | 'documents'
  /** Documents that the upstream fetches itself. */
  | 'document-urls'
  /** Audio in a user's messages. */
  | 'audio'
  /** Texts at which an answer ends; the Responses protocol has no field for them. */
  | 'stop-sequences'
  /** Cited documents, server tools and other blocks of the Messages protocol alone. */
  | 'messages-blocks'
  /** Tools and items of the Responses protocol alone. */
  | 'responses-items';

export type Need =
  /** The operator says that the route's model can do it. */
  | { readonly kind: 'capability'; readonly name: Capability; readonly param: string }
  /** The route's protocol can say it; `of` describes the field, if it says more than the feature's name. */
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
  /** Output beyond `max_tokens`: the provider charges the rejected tokens of a prediction, at most those of `texts`. */
  | { readonly kind: 'output'; readonly texts: readonly string[]; readonly param: string }
  /** A feature that no price can express, or that makes the provider store data (`store: true`). Always rejected. */
  | { readonly kind: 'unpriced'; readonly param: string };

export type TokenRate = 'audio_input' | 'audio_output' | 'image_output' | 'video_input';

export const isPriced = (need: Need): need is PricedFeature =>
  need.kind !== 'capability' && need.kind !== 'feature' && need.kind !== 'address';
