/**
 * Describes the answers that API Gateway makes by itself, as the templates customise them.
 * Source: API Gateway developer guide, gateway responses.
 */
import type { Stacks } from '../stacks.ts';

export interface GatewayResponse {
  /** Such as `REQUEST_TOO_LARGE`. */
  readonly responseType: string;
  /** Absent: the status of what went wrong stays. */
  readonly status?: number;
  /** Header values: `'a literal'` or `context.<variable>`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Content type and template of the body, in the order of the template. */
  readonly bodies: readonly (readonly [contentType: string, template: string])[];
}

interface Properties {
  readonly RestApiId: string;
  readonly ResponseType: string;
  readonly StatusCode?: string;
  readonly ResponseParameters?: Readonly<Record<string, string>>;
  readonly ResponseTemplates?: Readonly<Record<string, string>>;
}

const HEADER_PREFIX = 'gatewayresponse.header.';

export function describeGatewayResponses(stacks: Stacks, apiId: string): readonly GatewayResponse[] {
  return stacks.resources('AWS::ApiGateway::GatewayResponse').flatMap((resource) => {
    const properties = resource.properties<Properties>();
    if (properties.RestApiId !== apiId) return [];
    return {
      responseType: properties.ResponseType,
      ...(properties.StatusCode === undefined ? {} : { status: Number(properties.StatusCode) }),
      headers: Object.fromEntries(Object.entries(properties.ResponseParameters ?? {}).map(headerMapping)),
      bodies: Object.entries(properties.ResponseTemplates ?? {}),
    };
  });
}

function headerMapping([key, value]: [string, string]): [string, string] {
  if (!key.startsWith(HEADER_PREFIX))
    throw new Error(`the local gateway does not know the response parameter ${key}`);
  if (!/^('.*'|context\..+)$/.test(value))
    throw new Error(`the local gateway does not know the header mapping ${value}`);
  return [key.slice(HEADER_PREFIX.length), value];
}
