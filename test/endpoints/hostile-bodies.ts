/** Bodies of up to 10 MB that are made to be dear to refuse; run as a program, it refuses each within its heap. */
import * as z from 'zod';
import { readJson, validate } from '../../lambdas/platform/core/json/json-body.ts';

const repeated = (value: string, count: number) => `${`${value},`.repeat(count - 1)}${value}`;
const message = (content: string) => `{"model":"m","max_tokens":1,"messages":[${content}]}`;
const key = (policy: string) => `{"name":"x","policy":{${policy}}}`;
const MILLIONS = 4_900_000;

/** Hostile bodies, by their excess. */
export const HOSTILE: Readonly<Record<string, () => string>> = {
  values: () => message(repeated('1', MILLIONS)),
  'wrong messages': () => message(repeated('1', 99_000)),
  'empty messages': () => message(repeated('{}', 49_000)),
  'wrong parts': () => message(`{"role":"user","content":[${repeated('{"type":"text"}', 49_000)}]}`),
  'wrong tools': () => `{"model":"m","messages":[],"tools":[${repeated('{"type":"function"}', 49_000)}]}`,
  'long numbers': () => message(repeated('12345678901234567890', 9_900)),
  levels: () => '['.repeat(2 * MILLIONS),
  names: () => `{${Array.from({ length: 99_000 }, (_, index) => `"k${index}":1`).join(',')}}`,
  'names of a policy': () => key(Array.from({ length: 90_000 }, (_, index) => `"k${index}":1`).join(',')),
  'letters of a name': () => key(`"${'k'.repeat(2 * MILLIONS)}":1`),
  digits: () => key(`"daily_usd":${'9'.repeat(2 * MILLIONS)}`),
  'digits in a text': () => key(`"daily_usd":"${'9'.repeat(2 * MILLIONS)}"`),
  backslashes: () => `{"name":"${'\\\\'.repeat(MILLIONS)}"}`,
  'quotation marks': () => `{"name":"${'\\"'.repeat(MILLIONS)}"}`,
};

const part = z.looseObject({ type: z.string(), text: z.string() });
const STANDING_FOR_ALL = z.looseObject({
  name: z.string().trim().min(1).max(80).optional(),
  policy: z.strictObject({ daily_usd: z.string().max(32) }).optional(),
  messages: z
    .array(z.looseObject({ role: z.enum(['user']), content: z.union([z.string(), z.array(part)]) }))
    .optional(),
  tools: z.array(z.looseObject({ function: z.object({ name: z.string() }) })).optional(),
  k1: z.string().optional(),
});

/** Returns the error of a rejected body and the CPU time of its rejection; throws if the body is accepted. */
async function expectRejection(text: string, schema: z.ZodType = STANDING_FOR_ALL) {
  const headers = { 'content-type': 'application/json' };
  const request = new Request('http://localhost/', { method: 'POST', headers, body: text });
  const before = process.cpuUsage();
  try {
    validate(schema, (await readJson(request)).value);
  } catch (failure) {
    const { user, system } = process.cpuUsage(before);
    return { failure: failure as Error & { readonly status?: number }, cpuMs: (user + system) / 1000 };
  }
  throw new Error('the body was taken');
}

/** CPU that a plain body takes, by which the others are measured. */
function referenceMs(): number {
  const text = `[${repeated('{"a":"b"}', 300_000)}]`;
  const before = process.cpuUsage();
  JSON.parse(text);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

async function rejectEach(): Promise<void> {
  process.stdout.write(`${referenceMs()}\n`);
  for (const [name, make] of Object.entries(HOSTILE)) {
    const { failure, cpuMs } = await expectRejection(make());
    process.stdout.write(
      `${JSON.stringify({ name, status: failure.status, length: failure.message.length, cpuMs })}\n`,
    );
  }
}

if (process.argv[1] === import.meta.filename) void rejectEach();
