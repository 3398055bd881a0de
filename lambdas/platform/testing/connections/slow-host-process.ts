/**
 * Listens on an address with no room for more than two connections that wait to be accepted; sends its port. While it is
 * stopped by a signal, the kernel leaves requests for further ones unanswered, and callers repeat them after a second
 * (RFC 6298, section 2).
 */
import { type AddressInfo, createServer } from 'node:net';

const server = createServer((socket) => {
  socket.on('error', () => {});
  socket.on('data', () => {
    socket.end('HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\n{}');
  });
});
server.listen({ port: 0, host: process.argv[2], backlog: 1 }, () => {
  process.send?.((server.address() as AddressInfo).port);
});
