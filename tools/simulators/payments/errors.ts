/** An error as Stripe's API answers it (Stripe API reference, Errors). */

export class SandboxError extends Error {
  readonly status: number;
  readonly code: string | undefined;

  constructor(status: number, message: string, code?: string) {
    super(message);
    this.name = 'SandboxError';
    this.status = status;
    this.code = code;
  }

  get body(): object {
    const { message, code } = this;
    return { error: { type: 'invalid_request_error', message, ...(code === undefined ? {} : { code }) } };
  }
}

export const missing = (what: string, id: string): SandboxError =>
  new SandboxError(404, `No such ${what}: '${id}'`, 'resource_missing');
