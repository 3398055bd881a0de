/** The failures of an invocation that the gateway distinguishes. */

/** The handler failed, or its process did. */
export class HandlerFailure extends Error {
  override readonly name = 'FunctionFailed';
}

/** The function did not end within its timeout. */
export class FunctionTimedOut extends Error {
  override readonly name = 'FunctionTimedOut';
}
