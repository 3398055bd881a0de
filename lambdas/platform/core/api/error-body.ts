/** The two envelopes of errors, one for each API format. An error that the gateway makes itself is both at once. */
import * as z from 'zod';
import { ERROR_CODES, type ErrorCode, type ErrorType } from '../errors.ts';

const types = [...new Set(Object.values(ERROR_CODES).map(({ type }) => type))] as [ErrorType, ...ErrorType[]];

const affordable = z
  .int()
  .optional()
  .describe('With a 402: the largest `max_tokens` with which the call would be admitted now.');

/** Returns the schema of an error. Its code is an `ErrorCode`, or one of `edgeCodes`, which only the edge returns. */
export const errorSchema = (...edgeCodes: readonly string[]) =>
  z.object({
    type: z.literal('error').optional(),
    request_id: z.string().optional(),
    error: z.object({
      message: z.string().describe('Ends with the request id.'),
      type: z.enum(types),
      code: z.enum([...(Object.keys(ERROR_CODES) as ErrorCode[]), ...edgeCodes]).nullable(),
      param: z.string().nullable().describe('The path of the invalid field.'),
      affordable_max_tokens: affordable,
    }),
  });

export const messagesErrorSchema = z.object({
  type: z.literal('error'),
  error: z.object({
    type: z.enum(types),
    message: z.string(),
    code: z.string().optional(),
    param: z.null().optional(),
    affordable_max_tokens: affordable,
    details: z.record(z.string(), z.unknown()).optional().describe('Machine-readable details of the cause.'),
  }),
  request_id: z.string(),
});
