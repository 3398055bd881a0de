/** What can go wrong with an invocation, as the gateway tells it apart. */

/** The handler failed, or its process did. */
export class FunctionFailed extends Error {
  override readonly name = 'FunctionFailed';
}

/** The function did not end within its timeout. */
export class FunctionTimedOut extends Error {
  override readonly name = 'FunctionTimedOut';
}
