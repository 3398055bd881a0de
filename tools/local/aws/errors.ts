/** The errors that AWS services answer with over the JSON protocol, which the SDKs read back by name. */

export class AwsError extends Error {
  readonly type: string;
  readonly status: number;

  constructor(type: string, message: string, status = 400) {
    super(message);
    this.name = type;
    this.type = type;
    this.status = status;
  }
}

/** For a call that exists in AWS, perhaps, but not here. */
export const unknownCall = (call: string, status?: number): AwsError =>
  new AwsError('UnknownOperationException', `the local runtime does not know the ${call}`, status);

/** The JSON object of a request; its fields are as the caller sent them. */
export function parseBody<T extends object>(body: Buffer): Partial<T> {
  try {
    const request: unknown = JSON.parse(body.toString());
    if (typeof request === 'object' && request !== null) return request;
  } catch {
    // It is answered below, with everything else that is not an object.
  }
  throw new AwsError('SerializationException', 'the request body is not a JSON object');
}

/** Smithy AWS JSON 1.0 and 1.1 protocols: the error's name is in `__type`. */
export function errorBody(error: AwsError): string {
  return JSON.stringify({ __type: error.type, message: error.message, Message: error.message });
}
