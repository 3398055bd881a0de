/** Reads a request's body, up to the size a provider would take. */
import type { IncomingMessage } from 'node:http';

export interface RequestBody {
  readonly byteLength: number;
  readonly text: string;
  /** The parsed JSON, or the fields of a form; undefined when the body is neither. */
  readonly json: unknown;
}

/** A form as a body: each field by its name, a file as `File`. */
async function formOf(bytes: Buffer<ArrayBuffer>, contentType: string): Promise<unknown> {
  try {
    const form = await new Response(bytes, { headers: { 'content-type': contentType } }).formData();
    return Object.fromEntries(form);
  } catch {
    return undefined;
  }
}

/** The value that a JSON text stands for; undefined when it is not JSON. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The whole body, or undefined when it has more than `maxBodyBytes`. Rejects when the client disconnects before its end. */
export async function readBody(
  request: IncomingMessage,
  maxBodyBytes: number,
): Promise<RequestBody | undefined> {
  const chunks: Buffer[] = [];
  let byteLength = 0;
  for await (const chunk of request) {
    const bytes: Buffer = chunk;
    byteLength += bytes.length;
    // Read on, keeping nothing: leaving the loop would close the connection before the refusal is sent.
    if (byteLength > maxBodyBytes) chunks.length = 0;
    else chunks.push(bytes);
  }
  if (byteLength > maxBodyBytes) return undefined;
  const bytes = Buffer.concat(chunks);
  const contentType = request.headers['content-type'] ?? '';
  if (contentType.startsWith('multipart/form-data'))
    return { byteLength, text: '', json: await formOf(bytes, contentType) };
  const text = bytes.toString('utf8');
  if (contentType.startsWith('application/x-www-form-urlencoded'))
    return { byteLength, text, json: Object.fromEntries(new URLSearchParams(text)) };
  return { byteLength, text, json: parsedJson(text) };
}
