/** The numbers of messages that could not be handled and wait for an operator. */
import * as z from 'zod';
import type { Body } from './response-schema.ts';

export interface DeadLetters {
  /** The queue's name without the stage, such as `dead-events`. */
  readonly queue: string;
  /** The count of SQS, which may be a minute late. */
  readonly messages: number;
}

export const deadLettersSchema = z.object({
  id: z.string().describe('The queue.'),
  object: z.literal('dead_letter_queue'),
  messages: z.int().describe('As SQS counts, which may be a minute late.'),
});

export const deadLettersEntry = ({ queue, messages }: DeadLetters): Body<typeof deadLettersSchema> => ({
  id: queue,
  object: 'dead_letter_queue',
  messages,
});
