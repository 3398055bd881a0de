/** The fields of an endpoint's description that are not in its row of the route table. */
import type * as z from 'zod';

export type Tag =
  | 'Inference'
  | 'Catalog'
  | 'Usage'
  | 'Accounts'
  | 'Payments'
  | 'Webhooks'
  | 'Telemetry'
  | 'Operator'
  | 'Market'
  | 'Service';

export interface DescribedResponse {
  readonly description: string;
  /** A component of the document is referred to by its name; absent when the response is not JSON. */
  readonly schema?: z.ZodType;
  /** Headers that the response may have, by name, with their descriptions. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The other formats that the response may have, by media type. */
  readonly otherForms?: Readonly<Record<string, string>>;
}

/** A request header that may be left out. */
interface Header {
  /** The purpose of the endpoint. */
  readonly description: string;
  /** Values that are taken. */
  readonly pattern: string;
}

export interface Operation {
  readonly tag: Tag;
  /** Its endpoint states since when in the headers of each response. */
  readonly deprecated?: true;
  /** Information for a caller that the purpose does not contain. */
  readonly description?: string;
  /** The schema with which the endpoint validates the query. */
  readonly query?: z.ZodObject;
  /** Request headers that are read. */
  readonly headers?: Readonly<Record<string, Header>>;
  /** The schema with which the endpoint validates the body. */
  readonly body?: z.ZodType;
  /** The schema with which the endpoint validates the fields of a form, and the field that is a file. */
  readonly form?: { readonly fields: z.ZodObject; readonly file: string };
  /**
   * A body, or the fields of a form, that works as it stands. Ids of objects, and tokens of others, are the only values in it
   * that a caller has to replace.
   */
  readonly example?: Readonly<Record<string, unknown>>;
  /** The kind of call whose default model the example names as its `model`. */
  readonly exampleKind?: string;
  /** A body that may be left out. */
  readonly optionalBody?: true;
  /** A body that is passed on unchanged, byte by byte. */
  readonly rawBody?: string;
  readonly responses: Readonly<Record<number, DescribedResponse>>;
  /** Statuses of the operation's errors; `document.ts` adds those that follow from the route and the request. */
  readonly errors?: readonly number[];
}

type Responses = Operation['responses'];

const responseOf =
  (status: number) =>
  (description: string, schema: z.ZodType, headers?: DescribedResponse['headers']): Responses => ({
    [status]: { description, schema, ...(headers === undefined ? {} : { headers }) },
  });

/** Responses in JSON. */
export const ok = responseOf(200);
export const created = responseOf(201);
export const accepted = responseOf(202);

/** Operations that the document lists under one tag. */
export const tagged = <Name extends string>(
  tag: Tag,
  operations: Readonly<Record<Name, Omit<Operation, 'tag'>>>,
): Readonly<Record<Name, Operation>> => {
  const entries = Object.entries<Omit<Operation, 'tag'>>(operations);
  return Object.fromEntries(entries.map(([name, operation]) => [name, { ...operation, tag }])) as Record<
    Name,
    Operation
  >;
};
