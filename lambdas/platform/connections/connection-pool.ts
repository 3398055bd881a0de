/**
 * Persistent connections to upstreams, over HTTP/1.1. A connection that has been idle for too long is not reused. This
 * also holds if the process was frozen meanwhile, so that no timer in it could close the connection.
 */
import { Agent, type AgentOptions } from 'node:http';
import { Agent as SecureAgent } from 'node:https';
import { type LookupFunction, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Clock } from '../core/ports.ts';

/**
 * The time for which each address of a hostname is attempted before the next one. Node's default of 250 ms is less than
 * a distant server takes to accept. If IPv6 is unreachable, as in AWS Lambda, that default would fail for every
 * hostname with both address types (Node documentation, `socket.connect`, `autoSelectFamilyAttemptTimeout`).
 */
export const ADDRESS_MS = 2_000;

/** For all addresses of a host and the TLS handshake: a host that takes longer is better left for another route. */
const CONNECT_MS = 5_000;

/**
 * Servers close idle connections after 5 s and more (Node documentation, `server.keepAliveTimeout`; uvicorn,
 * `timeout_keep_alive`). A shorter time that a server announces is respected (RFC 2068, section 19.7.1.1, `Keep-Alive:
 * timeout`).
 */
const IDLE_MS = 4_000;

/** Wall clock and monotonic clock: which of them stands still while a process is frozen depends on how it is frozen. */
const CLOCKS: readonly Clock[] = [() => Date.now(), () => performance.now()];

export interface PoolOptions {
  readonly idleMs?: number;
  readonly connectMs?: number;
  readonly clocks?: readonly Clock[];
  /** In place of the system's resolver. */
  readonly lookup?: LookupFunction;
}

/** The reading of each clock when a connection became idle, and the time for which it may be idle. */
interface Idle {
  readonly readings: readonly number[];
  readonly limitMs: number;
}

export class ConnectionPool {
  readonly #clocks: readonly Clock[];
  readonly #idle = new WeakMap<Duplex, Idle>();
  readonly #plain: Agent;
  readonly #secure: SecureAgent;

  constructor({ idleMs = IDLE_MS, connectMs = CONNECT_MS, clocks = CLOCKS, lookup }: PoolOptions = {}) {
    const options: AgentOptions = {
      keepAlive: true,
      // Applies to an idle connection; the route times its responses itself.
      timeout: idleMs,
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: ADDRESS_MS,
      ...(lookup === undefined ? {} : { lookup }),
    };
    this.#clocks = clocks;
    this.#plain = limitConnecting(this.#noteIdle(new Agent(options)), connectMs);
    this.#secure = limitConnecting(this.#noteIdle(new SecureAgent(options)), connectMs);
  }

  /** The agent for a URL; before each request call `dropStale`. */
  agentFor({ protocol }: URL): Agent {
    return protocol === 'https:' ? this.#secure : this.#plain;
  }

  /**
   * Closes the connections that have been idle for longer than they may. Those of a host are looked at from the one that is
   * used next, which became idle last, to the first that may still be used.
   */
  dropStale(): void {
    const now = this.#clocks.map((clock) => clock());
    const isStale = (socket: Socket) => {
      const { readings, limitMs } = this.#idle.get(socket) ?? { readings: [], limitMs: 0 };
      return now.some((reading, index) => reading - (readings[index] ?? 0) >= limitMs);
    };
    for (const { freeSockets } of [this.#plain, this.#secure]) {
      for (const sockets of Object.values(freeSockets)) {
        for (let at = -1; ; at -= 1) {
          const socket = sockets?.at(at);
          if (socket === undefined || !isStale(socket)) break;
          socket.destroy();
        }
      }
    }
  }

  /** Closes the idle connections to a URL's host. */
  dropIdle(url: URL): void {
    const agent = this.agentFor(url);
    const hostname = url.hostname.replace(/^\[|\]$/g, '');
    const port = url.port === '' ? (url.protocol === 'https:' ? '443' : '80') : url.port;
    const prefix = `${hostname}:${port}:`;
    for (const [name, sockets] of Object.entries(agent.freeSockets)) {
      if (name.startsWith(prefix)) for (const socket of sockets ?? []) socket.destroy();
    }
  }

  #noteIdle<T extends Agent>(agent: T): T {
    const keepSocketAlive = agent.keepSocketAlive.bind(agent);
    agent.keepSocketAlive = (socket): unknown => {
      const isReusable: unknown = keepSocketAlive(socket);
      const limitMs = socket instanceof Socket ? (socket.timeout ?? 0) : 0;
      this.#idle.set(socket, { readings: this.#clocks.map((clock) => clock()), limitMs });
      return isReusable;
    };
    return agent;
  }
}

function limitConnecting<T extends Agent>(agent: T, connectMs: number): T {
  const connected = agent instanceof SecureAgent ? 'secureConnect' : 'connect';
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (...options) => {
    const socket = connect(...options);
    const failure = Object.assign(new Error(`no connection within ${connectMs} ms`), { code: 'ETIMEDOUT' });
    let isSettled = false;
    // After a standstill of the process timers run first, and only then what came meanwhile: it may be connected.
    const giveUp = () => setImmediate(() => (isSettled ? undefined : socket?.destroy(failure)));
    const timer = setTimeout(giveUp, connectMs);
    const settle = () => {
      isSettled = true;
      clearTimeout(timer);
    };
    for (const event of [connected, 'close']) socket?.once(event, settle);
    return socket;
  };
  return agent;
}
