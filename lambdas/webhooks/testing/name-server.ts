/** A name server that answers every question as a test asks, over UDP (RFC 1035). */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { parse } from 'ipaddr.js';

export interface NameServer {
  readonly address: string;
  /** Questions for IPv4 addresses that it was asked. */
  questions(): number;
  close(): Promise<void>;
}

const TYPE_A = 1;
const TYPE_AAAA = 28;
const CLASS_IN = 1;

/** `respond` returns the IPv4 addresses of the nth question for them, from 0; `ipv6` are those of every question for such. */
export async function startNameServer(
  respond: (question: number) => readonly string[],
  ipv6: readonly string[] = [],
): Promise<NameServer> {
  const socket = createSocket('udp4');
  let questions = 0;
  socket.on('message', (query, { port, address }) => {
    const question = query.subarray(12, endOfQuestion(query));
    const type = question.readUInt16BE(question.length - 4);
    const addresses = type === TYPE_A ? respond(questions++) : type === TYPE_AAAA ? ipv6 : [];
    const header = Buffer.alloc(12);
    query.copy(header, 0, 0, 2);
    // A recursive answer without an error.
    header.writeUInt16BE(0x8180, 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(addresses.length, 6);
    socket.send(Buffer.concat([header, question, ...addresses.map(recordOf)]), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    questions: () => questions,
    async close() {
      socket.close();
      await once(socket, 'close');
    },
  };
}

/** Labels up to the empty one, then type and class. */
function endOfQuestion(query: Buffer): number {
  let at = 12;
  while ((query[at] ?? 0) !== 0) at += (query[at] ?? 0) + 1;
  return at + 5;
}

/** The name is the question's; the answer lives for no time at all. */
function recordOf(address: string): Buffer {
  const bytes = parse(address).toByteArray();
  const record = Buffer.alloc(12);
  record.writeUInt16BE(0xc00c, 0);
  record.writeUInt16BE(bytes.length === 4 ? TYPE_A : TYPE_AAAA, 2);
  record.writeUInt16BE(CLASS_IN, 4);
  record.writeUInt16BE(bytes.length, 10);
  return Buffer.concat([record, Buffer.from(bytes)]);
}
