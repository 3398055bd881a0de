/** The state of queues and schedules on disk, so that a restart or a crash of the local service loses none of it. */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** A message; times are milliseconds since the epoch. */
export interface StoredMessage {
  readonly id: string;
  readonly queue: string;
  readonly body: string;
  readonly groupId: string | null;
  readonly sentMs: number;
  visibleMs: number;
  receives: number;
  firstReceivedMs: number | null;
}

export interface StoredSchedule {
  readonly groupName: string;
  readonly name: string;
  readonly dueMs: number;
  readonly targetArn: string;
  readonly roleArn: string;
  readonly input: string;
}

export interface MessagingStore {
  messages(queue: string): StoredMessage[];
  /** Writes all or none. */
  add(messages: readonly StoredMessage[]): void;
  update(messages: readonly StoredMessage[]): void;
  remove(ids: readonly string[]): void;
  /** Takes a message out of one queue and puts it into another. */
  move(id: string, replacement: StoredMessage): void;
  schedules(): StoredSchedule[];
  addSchedule(schedule: StoredSchedule): void;
  removeSchedule(groupName: string, name: string): void;
  close(): void;
}

const SCHEMA = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  CREATE TABLE IF NOT EXISTS messages (id TEXT PRIMARY KEY, queue TEXT, body TEXT, groupId TEXT, sentMs INTEGER,
    visibleMs INTEGER, receives INTEGER, firstReceivedMs INTEGER) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS schedules (groupName TEXT, name TEXT, dueMs INTEGER, targetArn TEXT, roleArn TEXT,
    input TEXT, PRIMARY KEY (groupName, name)) WITHOUT ROWID;
`;

/** Opens the store in a file, or in memory (`:memory:`). */
export function openMessagingStore(file: string): MessagingStore {
  if (file !== ':memory:') mkdirSync(dirname(file), { recursive: true });
  const database = new DatabaseSync(file);
  database.exec(SCHEMA);
  const insert = database.prepare('INSERT INTO messages VALUES (?, ?, ?, ?, ?, ?, ?, ?)');
  const change = database.prepare(
    'UPDATE messages SET visibleMs = ?, receives = ?, firstReceivedMs = ? WHERE id = ?',
  );
  const erase = database.prepare('DELETE FROM messages WHERE id = ?');
  const select = database.prepare('SELECT * FROM messages WHERE queue = ?');
  const insertSchedule = database.prepare('INSERT INTO schedules VALUES (?, ?, ?, ?, ?, ?)');
  const eraseSchedule = database.prepare('DELETE FROM schedules WHERE groupName = ? AND name = ?');
  const selectSchedules = database.prepare('SELECT * FROM schedules');

  /** One commit for the lot. */
  function together(run: () => void): void {
    database.exec('BEGIN');
    try {
      run();
      database.exec('COMMIT');
    } catch (failure) {
      database.exec('ROLLBACK');
      throw failure;
    }
  }
  const write = (message: StoredMessage) => {
    const { id, queue, body, groupId, sentMs, visibleMs, receives, firstReceivedMs } = message;
    insert.run(id, queue, body, groupId, sentMs, visibleMs, receives, firstReceivedMs);
  };
  return {
    messages: (queue) => select.all(queue) as unknown as StoredMessage[],
    add: (messages) => together(() => messages.forEach(write)),
    update: (messages) =>
      together(() => {
        for (const { id, visibleMs, receives, firstReceivedMs } of messages)
          change.run(visibleMs, receives, firstReceivedMs, id);
      }),
    remove: (ids) =>
      together(() => {
        for (const id of ids) erase.run(id);
      }),
    move: (id, replacement) =>
      together(() => {
        erase.run(id);
        write(replacement);
      }),
    schedules: () => selectSchedules.all() as unknown as StoredSchedule[],
    addSchedule: ({ groupName, name, dueMs, targetArn, roleArn, input }) => {
      insertSchedule.run(groupName, name, dueMs, targetArn, roleArn, input);
    },
    removeSchedule: (groupName, name) => {
      eraseSchedule.run(groupName, name);
    },
    close: () => database.close(),
  };
}
