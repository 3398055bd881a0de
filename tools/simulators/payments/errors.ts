/** An error as Stripe's API answers it (Stripe API reference, Errors). */

export class SandboxError extends Error {
  readonly status: number;
  readonly body: object;

  constructor(status: number, message: string, code?: string) {
    super(message);
    this.name = 'SandboxError';
    this.status = status;
    this.body = { error: { type: 'invalid_request_error', message, code } };
  }
}
