/** What Lambda passes on of a table's stream (AWS Lambda developer guide, using AWS Lambda with DynamoDB). */
import * as z from 'zod';

export const streamBatch = z.object({
  Records: z.array(
    z.object({
      eventName: z.string(),
      dynamodb: z.object({
        Keys: z.record(z.string(), z.unknown()),
        NewImage: z.record(z.string(), z.unknown()).optional(),
        OldImage: z.record(z.string(), z.unknown()).optional(),
      }),
    }),
  ),
});

export type StreamBatchRecord = z.output<typeof streamBatch>['Records'][number];
