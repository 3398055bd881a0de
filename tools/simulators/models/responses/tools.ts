/** The tools of a Responses request (OpenAI API reference, "Create a model response", `tools`). */
import { z } from 'zod';
import { jsonObject, toolName } from '../exchange/schemas.ts';

export const description = z.string().nullish();
const otherItems = {
  allowed_callers: z.array(z.string()).nullish(),
  async: z.boolean().nullish(),
  defer_loading: z.boolean().nullish(),
};

const functionTool = z.strictObject({
  type: z.literal('function'),
  name: toolName,
  description,
  parameters: jsonObject.nullish(),
  output_schema: jsonObject.nullish(),
  strict: z.boolean().nullish(),
  ...otherItems,
});
const customTool = z.strictObject({
  type: z.literal('custom'),
  name: toolName,
  description,
  format: z
    .discriminatedUnion('type', [
      z.strictObject({ type: z.literal('text') }),
      z.strictObject({
        type: z.literal('grammar'),
        syntax: z.enum(['lark', 'regex']),
        definition: z.string(),
      }),
    ])
    .nullish(),
  ...otherItems,
});
/** Tools that the provider runs are not simulated. */
export const toolSchema = z.discriminatedUnion('type', [
  functionTool,
  customTool,
  z.strictObject({
    type: z.literal('namespace'),
    name: toolName,
    description: z.string(),
    tools: z.array(z.discriminatedUnion('type', [functionTool, customTool])),
  }),
]);

export type DeclaredTool = z.infer<typeof toolSchema>;
