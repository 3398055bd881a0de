/** Limits of the interface and of AWS, named once; the gateway index lists the public ones. */

/** Requests a minute of one IP address (interface, Limits); enforced by WAF in AWS. */
export const IP_REQUESTS_PER_MINUTE = 200;

/** A synchronous Lambda invocation takes 6 MB (AWS Lambda quotas, invocation payload). */
export const LAMBDA_PAYLOAD_BYTES = 6 * 1024 * 1024;

/** API Gateway takes 10 MB (API Gateway quotas, payload size). */
export const GATEWAY_PAYLOAD_BYTES = 10 * 1024 * 1024;

/** The largest body of a request to the shared host, which no gateway bounds: as large as Anthropic takes (Claude API docs). */
export const HOST_BODY_BYTES = 32 * 1024 * 1024;

/** A shared host asks the database about the key before it reads a larger body. A smaller one costs less than that. */
export const LARGE_BODY_BYTES = 1024 * 1024;

/** The largest file of a transcription (interface, Limits). */
export const TRANSCRIPTION_FILE_BYTES = 25 * 1024 * 1024;

/**
 * A Regional API ends a streamed response after so long without a byte, before its headers too (API Gateway developer
 * guide, Stream the integration response).
 */
export const GATEWAY_SILENCE_SECONDS = 300;

/** CloudFront waits so long for a byte of an origin, without a raised quota (CloudFront quotas, response timeout). */
export const EDGE_SILENCE_SECONDS = 120;

/**
 * The header in which CloudFront passes its caller's address to the origin. A request with this header came through
 * CloudFront.
 */
export const VIEWER_IP_HEADER = 'x-viewer-ip';

/**
 * The largest file that reaches a function through API Gateway. The event contains it as base64, which turns 3 bytes
 * into 4, in addition to the request's headers.
 */
export const FUNCTION_FILE_BYTES = 4 * 1024 * 1024;

/**
 * Headers of every response. HTTPS is required for a year, without subdomains, which may be the operator's for other purposes;
 * clients ignore it if it came without TLS, as on a local service (RFC 6797, section 8.1). Browsers do not guess another type
 * than the stated one, because responses contain texts of strangers.
 */
export const SECURITY_HEADERS = {
  'strict-transport-security': 'max-age=31536000',
  'x-content-type-options': 'nosniff',
} as const;

/** The interface fixes the version of the gateway index, whatever the release. */
export const INDEX_VERSION = '3.0.0';
export const INTERFACE_VERSION = '1.1.0';
export const SERVICE_NAME = 'unified-inference-service';
