/** Our schemas in the form that OpenAPI 3.1 takes: JSON Schema, draft 2020-12. */
import * as z from 'zod';
import { COMPONENTS } from './components.ts';

export type JsonSchema = Readonly<Record<string, unknown>>;

/** What zod alone knows (a refinement, a transformation) is any value here; its words say the rest. */
function convert(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _dialect, ...converted } = z.toJSONSchema(schema, {
    target: 'draft-2020-12',
    io,
    unrepresentable: 'any',
  });
  return converted;
}

/** What a caller may send. */
export const requestSchema = (schema: z.ZodType): JsonSchema => convert(schema, 'input');

/** A form with one file in it (OpenAPI 3.1, "Considerations for File Uploads": bytes have no schema of their own). */
export function formSchema({
  fields,
  file,
}: {
  readonly fields: z.ZodObject;
  readonly file: string;
}): JsonSchema {
  const {
    properties = {},
    required = [],
    ...rest
  } = requestSchema(fields) as {
    properties?: JsonSchema;
    required?: readonly string[];
  };
  const content = { contentMediaType: 'application/octet-stream', description: 'A part with a file name.' };
  return { ...rest, properties: { [file]: content, ...properties }, required: [file, ...required] };
}

/** What the service answers; fields may be added to it at any time. */
export const answerSchema = (schema: z.ZodType): JsonSchema => convert(schema, 'input');

export const reference = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

const page = (name: string): JsonSchema => ({
  type: 'object',
  required: ['object', 'data', 'next_cursor'],
  properties: {
    object: { const: 'list' },
    data: { type: 'array', items: reference(name) },
    next_cursor: {
      type: ['string', 'null'],
      description: 'Asks for the next page as `cursor`; `null` on the last one.',
    },
  },
});

/** Every named schema, and the pages of those that are listed. */
export function componentSchemas(used: ReadonlySet<string>): Record<string, JsonSchema> {
  const schemas: Record<string, JsonSchema> = {};
  for (const [name, schema] of Object.entries(COMPONENTS)) {
    schemas[name] = answerSchema(schema);
    if (used.has(`${name}Page`)) schemas[`${name}Page`] = page(name);
  }
  return schemas;
}

/** Parameters of a query, which arrive as text: pages are asked for by number. */
const PARAMETERS: Readonly<Record<string, JsonSchema>> = {
  limit: { type: 'integer', minimum: 1, maximum: 100 },
};

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  limit: 'Entries a page.',
  cursor: 'The `next_cursor` of the page before.',
  start: 'From then on: ISO 8601, or seconds since the epoch.',
  end: 'Up to then: ISO 8601, or seconds since the epoch.',
  kind: 'One kind of listing only.',
  category: 'One category only.',
  window: 'How far back installs count.',
};

export function queryParameters(query: z.ZodObject): readonly JsonSchema[] {
  const { properties = {}, required = [] } = requestSchema(query) as {
    properties?: Record<string, JsonSchema>;
    required?: readonly string[];
  };
  return Object.entries(properties).map(([name, schema]) => {
    const { description = DESCRIPTIONS[name] ?? name, ...rest } = schema;
    return {
      name,
      in: 'query',
      required: required.includes(name),
      description,
      schema: PARAMETERS[name] ?? rest,
    };
  });
}
