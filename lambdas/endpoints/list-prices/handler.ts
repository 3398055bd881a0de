// @ts-nocheck temporary
export const handler = async (event) => ({ statusCode: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify({ path: event.path, resource: event.resource, endpoint: process.env.POWERTOOLS_SERVICE_NAME }) });
