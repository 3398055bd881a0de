/** JSON Schema (draft 2020-12): instances for tool arguments and structured outputs, and the check of a given value. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import { generateSync } from 'json-schema-faker';
import type { OutputSchema } from './model.ts';
import { randomFrom } from './random.ts';

/** Attempts before an instance is given as it is; a contradictory schema has no valid one. */
const MAX_ATTEMPTS = 30;
const MAX_SEED = 2 ** 31;

/** The check of values; a schema that cannot be compiled, or refers to itself without end, constrains nothing. */
function validatorOf(schema: OutputSchema): (value: unknown) => boolean {
  try {
    const lenient = { strict: false, validateFormats: false, validateSchema: false, meta: false };
    const validate = new Ajv2020({ ...lenient, logger: false }).compile(schema);
    validate(null);
    return validate;
  } catch {
    return () => true;
  }
}

export const conformsToSchema = (schema: OutputSchema, value: unknown): boolean => validatorOf(schema)(value);

/** One draw; null where the generator finds no value. */
function draw(schema: OutputSchema, seed: number, allOptional: boolean): unknown {
  try {
    return generateSync(schema, { seed, alwaysFakeOptionals: allOptional }) ?? null;
  } catch {
    return null;
  }
}

/**
 * An instance of `schema` that depends on `seed` alone, with all optional properties where that gives a valid one.
 * A schema without a valid finite instance gets the last attempt.
 */
export function schemaInstance(schema: OutputSchema, seed: string): unknown {
  const random = randomFrom(seed);
  const isValid = validatorOf(schema);
  let instance: unknown = null;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    instance = draw(schema, random.integer(1, MAX_SEED), attempt === 0);
    if (isValid(instance)) break;
  }
  return instance;
}
