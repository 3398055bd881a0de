/** The faults that can be set for requests, and the requests to which they apply. */
import { z } from 'zod';

const count = z.int().min(0);

const faultSchema = z.strictObject({
  /** Answers with this status instead of the model's answer: the protocol's error envelope, or `body`. */
  status: z.int().min(200).max(599).optional(),
  /** Sent as it is when a string, as JSON otherwise; needs `status`. */
  body: z.unknown().optional(),
  headers: z.record(z.string(), z.string()).optional(),
  /** Time before the response headers. */
  delay_ms: count.optional(),
  /** Time between two content chunks. */
  chunk_delay_ms: count.optional(),
  /** Accepts the request and never answers. */
  hang: z.boolean().optional(),
  /** Goes silent after this many content chunks; a body that is not streamed stops half-way. */
  hang_after_chunks: count.optional(),
  /** Waits after this many content chunks, in a body that is not streamed before it, until the faults are cleared. */
  wait_after_chunks: count.optional(),
  /** Destroys the socket after this many content chunks; a body that is not streamed is cut half-way. */
  cut_after_chunks: count.optional(),
  /** Destroys the socket after this many bytes of the body. */
  cut_after_bytes: count.optional(),
  no_usage: z.boolean().optional(),
  /** Fields of the protocol's usage, over those that the model counts. */
  usage: z.record(z.string(), z.unknown()).optional(),
  /** The tier that the answer says it was served by, in place of the one that was asked for. */
  served_tier: z.string().min(1).optional(),
  /** Answers 200 with something that is not JSON, or with events that are not. */
  garbage: z.boolean().optional(),
  /** Sends the protocol's in-band error after this many content chunks, and ends. */
  error_event_after_chunks: count.optional(),
  /** Resets the connection before the headers. */
  reset: z.boolean().optional(),
  /** Makes the model decline to answer. */
  refusal: z.boolean().optional(),
});

export type Fault = z.infer<typeof faultSchema>;

export const faultRuleSchema = z.strictObject({
  /** Exact; a path may also be that of a route, `/model/{modelId}/converse`. */
  match: z.strictObject({ model: z.string().optional(), path: z.string().optional() }).default({}),
  fault: faultSchema,
  /** The number of matching requests to which the fault applies; 0 means all until it is cleared. */
  times: count.default(1),
});

export type FaultRule = z.infer<typeof faultRuleSchema>;
