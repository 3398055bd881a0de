/**
 * Preloaded into every function's process of the emulator: the `awslambda` global of Lambda's Node.js runtime
 * (AWS Lambda developer guide, response streaming), its chunks written as JSON lines that `launcher.py` reads.
 */
import { Agent } from 'node:https';
import { connect } from 'node:net';
import { Writable } from 'node:stream';

type Metadata = { readonly statusCode: number; readonly headers?: Readonly<Record<string, string>> };
type Handler = (event: unknown, stream: ResponseStream, context: unknown) => Promise<unknown>;

// The emulator turns standard output into log lines once it has loaded; this is the one before.
const write = process.stdout.write.bind(process.stdout);
const report = (chunk: object) => write(`${JSON.stringify({ status: 'chunk', ...chunk })}\n`);

/** Metadata leaves with the first write, as in Lambda. */
class ResponseStream extends Writable {
  metadata: Metadata = { statusCode: 200, headers: { 'content-type': 'application/octet-stream' } };
  #hasStarted = false;

  setContentType(type: string): void {
    this.metadata = { statusCode: 200, headers: { 'content-type': type } };
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    if (!this.#hasStarted) report({ metadata: this.metadata });
    this.#hasStarted = true;
    report({ data: Buffer.from(chunk).toString('base64') });
    done();
  }

  override _final(done: () => void): void {
    if (this.#hasStarted) report({ end: true });
    done();
  }
}

Object.assign(globalThis, {
  awslambda: {
    streamifyResponse: (handler: Handler) => async (event: unknown, context: unknown) => {
      const stream = new ResponseStream();
      await handler(event, stream, context);
      if (!stream.writableEnded) stream.end();
      return null;
    },
    HttpResponseStream: {
      from(stream: ResponseStream, metadata: Metadata): ResponseStream {
        stream.metadata = metadata;
        return stream;
      },
    },
  },
});

/** Routes with an address of Bedrock lead to the simulator of models, without TLS. */
const models = process.env.SIMULATED_MODELS;
const { createConnection } = Agent.prototype;
if (models !== undefined)
  Agent.prototype.createConnection = function (options, callback) {
    if (!/^bedrock-runtime\./.test(String(options.host)))
      return createConnection.call(this, options, callback);
    const socket = connect(Number(new URL(models).port), '127.0.0.1');
    socket.once('connect', () => socket.emit('secureConnect'));
    return socket;
  };
