/** Reads a request's body, up to the size a provider would take. */
import type { IncomingMessage } from 'node:http';
import { readBytes } from '../../loopback-server.ts';
import { parsedJson } from '../../parsed-json.ts';

export interface RequestBody {
  readonly byteLength: number;
  readonly text: string;
  /** The parsed JSON, or the fields of a form; undefined when the body is neither. */
  readonly json: unknown;
}

/** The whole body, or undefined when it has more than `maxBodyBytes`. Rejects when the client disconnects before its end. */
export async function readBody(
  request: IncomingMessage,
  maxBodyBytes: number,
): Promise<RequestBody | undefined> {
  const bytes = await readBytes(request, maxBodyBytes);
  if (bytes === undefined) return undefined;
  const { byteLength } = bytes;
  const contentType = request.headers['content-type'] ?? '';
  if (/^(multipart\/form-data|application\/x-www-form-urlencoded)/.test(contentType)) {
    const form = new Response(bytes, { headers: { 'content-type': contentType } }).formData();
    return { byteLength, text: '', json: await form.then(fieldsOf, () => undefined) };
  }
  const text = bytes.toString('utf8');
  return { byteLength, text, json: parsedJson(text) };
}

/** The fields of a form by name; a name that occurs several times has a list. */
const fieldsOf = (form: FormData): object =>
  Object.fromEntries(
    [...form.keys()].map((name) => {
      const all = form.getAll(name);
      return [name, all.length === 1 ? all[0] : all];
    }),
  );
