/** Requests to the service that serves the console: same origin, with the session's cookie, never with a token. */
import { parseResponse } from './responses.ts';

/** The address of the service: the page lies at `<address>/console`. */
export const SERVICE = new URL('.', document.baseURI).href.replace(/\/$/, '');

/** An error response, with the message of the service. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly param: string | null;

  constructor(status: number, code: string, message: string, param: string | null) {
    super(message);
    this.status = status;
    this.code = code;
    this.param = param;
  }
}

/** Returns whether the service has no such object, or none that this account may read. */
export const isNotFound = (failure: unknown): boolean =>
  failure instanceof ApiError && failure.status === 404;

export interface ApiCall {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** The header of every request. Another site cannot send it, so a session's cookie counts only together with it. */
const OURS = { 'x-requested-with': 'console' };

/** Sends a request and resolves with whatever came; rejects with an `ApiError` for an error of the service. */
export async function send(
  path: string,
  { method = 'GET', body, headers, signal }: ApiCall = {},
): Promise<Response> {
  const response = await fetch(`${SERVICE}${path}`, {
    method,
    headers: { ...OURS, ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    credentials: 'same-origin',
    cache: 'no-store',
    redirect: 'error',
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  });
  if (!response.ok) throw await errorOf(response);
  return response;
}

/** Returns the parsed response of a request. The caller specifies its type, one of `types.ts`. */
export async function call<T>(path: string, options?: ApiCall): Promise<T> {
  const response = await send(path, options);
  const operation = `${options?.method ?? 'GET'} ${path.replace(/\?.*/, '')}`;
  return parseResponse(operation, await response.text()) as T;
}

/** Saves the response of a request as a file, once all of it has come. */
export async function download(path: string, filename: string): Promise<void> {
  const address = URL.createObjectURL(await (await send(path)).blob());
  const link = document.createElement('a');
  link.href = address;
  link.download = filename;
  link.click();
  URL.revokeObjectURL(address);
}

/** A path with a query; what is undefined or empty is left out. */
export function withQuery(
  path: string,
  query: Readonly<Record<string, string | number | undefined>>,
): string {
  const entries = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, String(value)]],
  );
  return entries.length === 0 ? path : `${path}?${new URLSearchParams(entries)}`;
}

async function errorOf(response: Response): Promise<ApiError> {
  const text = await response.text().catch(() => '');
  try {
    const { error } = JSON.parse(text);
    const { message, code = '', param = null } = error;
    return new ApiError(response.status, String(code), String(message), param);
  } catch {
    return new ApiError(response.status, '', `The service returned ${response.status}.`, null);
  }
}
