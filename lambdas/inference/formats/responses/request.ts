/** The Responses request. */
import type * as z from 'zod';
import type { responsesRequest } from './schema.ts';

export type ResponsesRequest = z.infer<typeof responsesRequest>;

/** The bound of the output, where the caller has set one. */
export const maxTokensOf = ({ max_output_tokens: tokens }: ResponsesRequest): number | undefined =>
  tokens ?? undefined;
