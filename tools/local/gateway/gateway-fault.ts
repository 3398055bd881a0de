/** The responses that API Gateway sends itself: the types of its gateway responses and their statuses. */

/** Ends a request with a gateway response; the message is API Gateway's own, for templates that quote it. */
export class GatewayFault extends Error {
  override readonly name = 'GatewayFault';
  readonly responseType: string;
  /** Holds unless the template of the response sets another. */
  readonly status: number;

  constructor(responseType: string, status: number, message: string) {
    super(message);
    this.responseType = responseType;
    this.status = status;
  }
}

export const faults = {
  badRequest: () => new GatewayFault('DEFAULT_4XX', 400, 'Bad Request'),
  bodyStalled: () => new GatewayFault('DEFAULT_4XX', 408, 'Request Timeout'),
  headersTooLarge: () => new GatewayFault('DEFAULT_4XX', 431, 'Request Header Fields Too Large'),
  noSuchRoute: () => new GatewayFault('MISSING_AUTHENTICATION_TOKEN', 403, 'Missing Authentication Token'),
  requestTooLarge: () => new GatewayFault('REQUEST_TOO_LARGE', 413, 'Request Entity Too Large'),
  functionFailed: () => new GatewayFault('DEFAULT_5XX', 502, 'Internal server error'),
  functionTimedOut: () => new GatewayFault('INTEGRATION_TIMEOUT', 504, 'Endpoint request timed out'),
  internal: () => new GatewayFault('DEFAULT_5XX', 500, 'Internal server error'),
} as const;
