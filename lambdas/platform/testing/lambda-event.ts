/** API Gateway's proxy event for tests (API Gateway developer guide, input format of a Lambda proxy integration). */
import type { APIGatewayProxyEvent } from 'aws-lambda';

/** The event of a `GET /v1/models` without headers, with what the test changes of it. */
export function lambdaEvent(changes: Partial<APIGatewayProxyEvent> = {}): APIGatewayProxyEvent {
  return {
    resource: '/{proxy+}',
    path: '/v1/models',
    httpMethod: 'GET',
    headers: null,
    multiValueHeaders: null,
    queryStringParameters: null,
    multiValueQueryStringParameters: null,
    pathParameters: null,
    stageVariables: null,
    requestContext: { requestId: 'c6af9ac6-7b61-11e6-9a41-93e8deadbeef' },
    body: null,
    isBase64Encoded: false,
    ...changes,
  } as unknown as APIGatewayProxyEvent;
}
