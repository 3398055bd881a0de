// @ts-nocheck temporary
export const handler = awslambda.streamifyResponse(async (event, stream, context) => {
  const out = awslambda.HttpResponseStream.from(stream, { statusCode: 200, headers: { 'content-type': 'text/event-stream' } });
  for (let i = 0; i < 5; i++) { out.write(`data: ${i}\n\n`); await new Promise((r) => setTimeout(r, 200)); }
  out.end();
});
