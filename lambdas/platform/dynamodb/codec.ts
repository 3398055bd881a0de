/** Items and the values that they stand for: one list of fields, by which a value is written and read. */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import {
  type Item,
  number,
  readDecimal,
  readInteger,
  readNumber,
  readText,
  text,
} from './attribute-values.ts';

/** `decode` throws an error that names an attribute of another type: the table is broken, not a request. */
export interface Codec<T> {
  /** The attribute without which an item has no such value. */
  readonly name: string;
  encode(value: T): Item;
  decode(item: Item): T;
}

/** A value that is one attribute. */
export const attribute = <T>(
  name: string,
  write: (value: T) => AttributeValue,
  read: (item: Item, name: string) => T,
): Codec<T> => ({
  name,
  encode: (value) => ({ [name]: write(value) }),
  decode: (item) => read(item, name),
});

export const asText = (name: string): Codec<string> => attribute(name, text, readText);
export const asNumber = (name: string): Codec<number> => attribute(name, number, readNumber);
export const asDecimal = (name: string): Codec<number> => attribute(name, number, readDecimal);
export const asInteger = (name: string): Codec<bigint> => attribute(name, number, readInteger);
export const asFlag = (name: string): Codec<boolean> =>
  attribute(
    name,
    (value) => ({ BOOL: value }),
    (item) => item[name]?.BOOL === true,
  );

export const asOneOf = <T extends string>(name: string, values: readonly T[]): Codec<T> =>
  attribute(name, text, (item) => {
    const found = values.find((value) => value === readText(item, name));
    if (found === undefined) throw new Error(`attribute ${name} is none of ${values.join(', ')}`);
    return found;
  });

export const asTexts = (name: string): Codec<readonly string[]> =>
  attribute(
    name,
    (values) => ({ L: values.map(text) }),
    (item) => (item[name]?.L ?? []).flatMap(({ S: value }) => value ?? []),
  );

/** A value that an item may go without: then it is `nothing`. */
export const orElse = <T, Nothing extends null | undefined>(
  { name, encode, decode }: Codec<T>,
  nothing: Nothing,
): Codec<T | Nothing> => ({
  name,
  encode: (value) => (value === null || value === undefined ? {} : encode(value)),
  decode: (item) => (item[name] === undefined ? nothing : decode(item)),
});

export const optional = <T>(codec: Codec<T>): Codec<T | undefined> => orElse(codec, undefined);

/** The codec of each field of a value. */
export type FieldCodecs<T> = { readonly [Name in keyof T]-?: Codec<T[Name]> };

/** A value of several fields. */
export function codec<T extends object>(fields: FieldCodecs<T>): Codec<T> {
  const entries = Object.entries(fields) as [keyof T, Codec<T[keyof T]>][];
  return {
    name: entries[0]?.[1].name ?? '',
    encode: (value) => Object.assign({}, ...entries.map(([field, { encode }]) => encode(value[field]))),
    decode: (item) =>
      Object.fromEntries(entries.map(([field, { decode }]) => [field, decode(item)])) as unknown as T,
  };
}
