/** An error as Stripe's API answers it (Stripe API reference, Errors). */

export class SandboxError extends Error {
  readonly status: number;
  readonly body: object;

  constructor(status: number, message: string, code?: string, type?: string) {
    super(message);
    this.name = 'SandboxError';
    this.status = status;
    const usual = status >= 500 ? 'api_error' : 'invalid_request_error';
    this.body = { error: { type: type ?? usual, message, code } };
  }

  /** Returns an error whose response was stored. */
  static of(status: number, body: object): SandboxError {
    return Object.assign(new SandboxError(status, 'stored'), { body });
  }
}
