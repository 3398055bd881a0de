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

export type MessagingStore = ReturnType<typeof openMessagingStore>;

const SCHEMA = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  CREATE TABLE IF NOT EXISTS messages (id TEXT PRIMARY KEY, queue TEXT, body TEXT, groupId TEXT, sentMs INTEGER,
    visibleMs INTEGER, receives INTEGER, firstReceivedMs INTEGER) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS schedules (groupName TEXT, name TEXT, dueMs INTEGER, targetArn TEXT, roleArn TEXT,
    input TEXT, PRIMARY KEY (groupName, name)) WITHOUT ROWID;
`;

/** Opens the store in a file, or in memory (`:memory:`). */
export function openMessagingStore(file: string) {
  if (file !== ':memory:') mkdirSync(dirname(file), { recursive: true });
  const database = new DatabaseSync(file);
  database.exec(SCHEMA);
  const putMessage = database.prepare(`INSERT OR REPLACE INTO messages VALUES
    (:id, :queue, :body, :groupId, :sentMs, :visibleMs, :receives, :firstReceivedMs)`);
  const removeMessage = database.prepare('DELETE FROM messages WHERE id = ?');
  const messagesOf = database.prepare('SELECT * FROM messages WHERE queue = ?');
  const putSchedule = database.prepare(
    'INSERT INTO schedules VALUES (:groupName, :name, :dueMs, :targetArn, :roleArn, :input)',
  );
  const removeSchedule = database.prepare('DELETE FROM schedules WHERE groupName = ? AND name = ?');
  const allSchedules = database.prepare('SELECT * FROM schedules');

  /** Writes all in one commit, or none. */
  function forEach<T>(rows: readonly T[], write: (row: T) => unknown): void {
    database.exec('BEGIN');
    try {
      rows.forEach(write);
      database.exec('COMMIT');
    } catch (failure) {
      database.exec('ROLLBACK');
      throw failure;
    }
  }
  return {
    messages: (queue: string) => messagesOf.all(queue) as unknown as StoredMessage[],
    /** Adds messages, or replaces those with their ids. */
    put: (messages: readonly StoredMessage[]) =>
      forEach(messages, (message) => putMessage.run({ ...message })),
    remove: (ids: readonly string[]) => forEach(ids, (id) => removeMessage.run(id)),
    schedules: () => allSchedules.all() as unknown as StoredSchedule[],
    addSchedule: (schedule: StoredSchedule) => void putSchedule.run({ ...schedule }),
    removeSchedule: (groupName: string, name: string) => void removeSchedule.run(groupName, name),
    close: () => database.close(),
  };
}
