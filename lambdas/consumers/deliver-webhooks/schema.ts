/** A wake as it travels through queues and schedules. */
import * as z from 'zod';

export const wakeSchema = z.object({
  accountId: z.string().min(1),
  webhookId: z.string().min(1),
  deliveryId: z.string().min(1),
  eventId: z.string().min(1),
  attempt: z.int().min(1),
  manual: z.boolean().default(false),
});
