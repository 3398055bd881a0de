/** The envelopes of errors, each with all of its fields, and the id of the request at the end of the message. */
import { expect } from '@jest/globals';

/** The error of every surface but Messages, whose four fields are always there. */
export async function expectError(
  response: Response,
  status: number,
  code: string,
  param: unknown,
): Promise<void> {
  const body = (await response.json()) as { readonly error?: { readonly message?: string } };
  const message = expect.stringContaining(response.headers.get('x-request-id') ?? 'no request id');
  const error = { message, type: expect.any(String), code, param };
  expect({ status: response.status, body }).toEqual({ status, body: { error } });
}

/** The error of the Messages surface, to which the id of the request is added. */
export async function expectMessagesError(response: Response, status: number, type: string): Promise<void> {
  const request_id = response.headers.get('x-request-id');
  const error = { type, message: expect.stringContaining(request_id ?? 'no request id') };
  expect({ status: response.status, body: await response.json() }).toEqual({
    status,
    body: { type: 'error', error, request_id },
  });
}
