/** The tables. The `user_version` of a file is that of the last step that it has taken. */
import { SchemaSteps, type SchemaVersions } from '../../kit/sql/index.ts'
import type { DatabaseSync } from 'node:sqlite'
import { Query } from './query.ts'

/** "Trpe": marks a file as ours. */
export const applicationId = 0x54727065

/** The cost of a run, as its index has it. */
export const costOfRun = `CAST(coalesce(json_extract(usage, '$.cost'), 0) AS REAL)`

/**
 * Times are REAL, because a clock may give fractions. Each row has a checksum of its content, its owner and its position.
 * A second index on an id (`…_again`) tells a missing row from a row that a damaged index does not have.
 */
export const schema = new SchemaSteps<string>(18, [
  {
    sql: `
CREATE TABLE schema_versions (oldest INTEGER NOT NULL) STRICT;
INSERT INTO schema_versions VALUES (0);
CREATE TABLE runs (
  id INTEGER PRIMARY KEY,
  run_id TEXT NOT NULL UNIQUE,
  agent TEXT NOT NULL,
  conversation_id TEXT,
  thread_id TEXT,
  resource_id TEXT,
  forked_from TEXT,
  nested_in TEXT,
  outcome TEXT,
  code TEXT,
  task TEXT,
  entries INTEGER NOT NULL,
  started_at REAL NOT NULL,
  counts_from REAL NOT NULL,
  updated_at REAL NOT NULL,
  ended_at REAL,
  owner TEXT NOT NULL,
  token INTEGER NOT NULL,
  expires_at REAL NOT NULL,
  passivated INTEGER NOT NULL DEFAULT 0,
  wake_at REAL,
  suspended_at INTEGER,
  usage TEXT,
  lapses INTEGER NOT NULL DEFAULT 0,
  lapsed_at INTEGER NOT NULL DEFAULT 0,
  checksum INTEGER NOT NULL
) STRICT;
CREATE INDEX runs_again ON runs (run_id, id);
CREATE INDEX unfinished_runs ON runs (id) WHERE outcome IS NULL;
CREATE INDEX unfinished_runs_by_state ON runs (passivated) WHERE outcome IS NULL;
CREATE INDEX ended_runs ON runs (updated_at) WHERE outcome IS NOT NULL;
CREATE INDEX ended_runs_by_start ON runs (started_at) WHERE outcome IS NOT NULL;
CREATE INDEX ended_runs_by_outcome ON runs (outcome) WHERE outcome IS NOT NULL;
CREATE INDEX ended_runs_by_code ON runs (code) WHERE outcome IS NOT NULL;
CREATE INDEX ended_runs_by_cost ON runs (${costOfRun}) WHERE outcome IS NOT NULL;
CREATE INDEX ended_runs_by_duration ON runs ((ended_at - counts_from)) WHERE outcome IS NOT NULL;
CREATE INDEX runs_by_agent ON runs (agent);
CREATE INDEX runs_by_conversation ON runs (conversation_id) WHERE conversation_id IS NOT NULL;
CREATE INDEX runs_by_thread ON runs (thread_id) WHERE thread_id IS NOT NULL;
CREATE INDEX runs_by_resource ON runs (resource_id) WHERE resource_id IS NOT NULL;
CREATE INDEX runs_by_origin ON runs (forked_from) WHERE forked_from IS NOT NULL;
CREATE INDEX nested_runs ON runs (nested_in) WHERE nested_in IS NOT NULL;
-- The highest id of a run that was deleted: cursors hold ids, so that none is used again.
CREATE TABLE run_positions (highest INTEGER NOT NULL) STRICT;
INSERT INTO run_positions VALUES (0);
CREATE TABLE entries (
  id INTEGER PRIMARY KEY,
  run INTEGER NOT NULL REFERENCES runs (id),
  seq INTEGER NOT NULL,
  entry TEXT NOT NULL,
  checksum INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX entries_by_run ON entries (run, seq);
CREATE TABLE queued_signals (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  run INTEGER NOT NULL REFERENCES runs (id),
  signal TEXT NOT NULL,
  claim TEXT,
  checksum INTEGER NOT NULL
) STRICT;
CREATE INDEX queued_signals_by_run ON queued_signals (run);
CREATE UNIQUE INDEX queued_signals_by_claim ON queued_signals (run, claim) WHERE claim IS NOT NULL;
CREATE TABLE questions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  run INTEGER NOT NULL REFERENCES runs (id),
  call TEXT NOT NULL,
  agent TEXT NOT NULL,
  type TEXT NOT NULL,
  since REAL NOT NULL,
  resource_id TEXT,
  thread_id TEXT,
  conversation_id TEXT,
  question TEXT NOT NULL,
  checksum INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX questions_by_run ON questions (run, call);
CREATE INDEX questions_by_time ON questions (since);
CREATE INDEX questions_by_agent ON questions (agent);
CREATE INDEX questions_by_resource ON questions (resource_id) WHERE resource_id IS NOT NULL;
CREATE INDEX questions_by_thread ON questions (thread_id) WHERE thread_id IS NOT NULL;
CREATE INDEX questions_by_conversation ON questions (conversation_id) WHERE conversation_id IS NOT NULL;
CREATE TABLE threads (
  id INTEGER PRIMARY KEY,
  thread_id TEXT NOT NULL UNIQUE,
  resource_id TEXT,
  created_at REAL NOT NULL,
  updated_at REAL NOT NULL,
  messages INTEGER NOT NULL DEFAULT 0,
  checksum INTEGER NOT NULL
) STRICT;
CREATE INDEX threads_again ON threads (thread_id, id);
CREATE INDEX threads_by_resource ON threads (resource_id) WHERE resource_id IS NOT NULL;
CREATE INDEX threads_by_change ON threads (updated_at);
CREATE TABLE messages (
  id INTEGER PRIMARY KEY,
  thread INTEGER NOT NULL REFERENCES threads (id) ON DELETE CASCADE,
  seq INTEGER NOT NULL,
  message_id TEXT NOT NULL,
  conversation_id TEXT,
  -- NULL also where the thread belongs to the resource of the message.
  resource_id TEXT,
  message TEXT NOT NULL,
  checksum INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX messages_by_message_id ON messages (thread, message_id);
CREATE INDEX messages_by_thread ON messages (thread, id);
CREATE INDEX messages_by_conversation ON messages (conversation_id, thread) WHERE conversation_id IS NOT NULL;
CREATE INDEX messages_by_resource ON messages (resource_id, thread) WHERE resource_id IS NOT NULL;
-- The future owner of a thread that a run has begun, and that holds nothing yet.
CREATE TABLE thread_claims (
  thread_id TEXT NOT NULL,
  run_id TEXT NOT NULL,
  resource_id TEXT,
  PRIMARY KEY (thread_id, run_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX thread_claims_by_run ON thread_claims (run_id);
CREATE TABLE working_memory (
  resource_id TEXT PRIMARY KEY,
  content TEXT NOT NULL,
  updated_at REAL NOT NULL,
  checksum INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX working_memory_again ON working_memory (resource_id, checksum);
CREATE INDEX working_memory_by_change ON working_memory (updated_at);
CREATE TABLE config_items (
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  checksum INTEGER NOT NULL,
  UNIQUE (kind, key)
) STRICT;
-- The SHA-256 of the bytes is their key, and their checksum.
CREATE TABLE blobs (
  id INTEGER PRIMARY KEY,
  ref TEXT NOT NULL UNIQUE,
  bytes BLOB NOT NULL
) STRICT;
CREATE TABLE blob_holders (
  blob INTEGER NOT NULL REFERENCES blobs (id),
  holder TEXT NOT NULL,
  PRIMARY KEY (blob, holder)
) STRICT, WITHOUT ROWID;
CREATE INDEX blob_holders_by_holder ON blob_holders (holder);
CREATE TABLE blob_puts (
  blob INTEGER PRIMARY KEY REFERENCES blobs (id),
  put_at REAL NOT NULL,
  is_left INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX blob_puts_by_time ON blob_puts (put_at);
CREATE INDEX left_blobs ON blob_puts (put_at) WHERE is_left = 1;
-- The holders that were not in the file when they put or held a blob.
CREATE TABLE unbegun_holders (
  holder TEXT PRIMARY KEY,
  held_at REAL NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX unbegun_holders_by_time ON unbegun_holders (held_at);`,
  },
  {
    sql: `
-- What tenants have used, by period. Sums have no checksum of their own: the entries hold what they are made of.
CREATE TABLE ledger (
  tenant TEXT NOT NULL,
  account TEXT NOT NULL,
  model_calls REAL NOT NULL DEFAULT 0,
  tokens REAL NOT NULL DEFAULT 0,
  cost REAL NOT NULL DEFAULT 0,
  PRIMARY KEY (tenant, account)
) STRICT, WITHOUT ROWID;
-- What calls in progress hold. A row counts while its lease does.
CREATE TABLE reservations (
  run_id TEXT NOT NULL,
  call TEXT NOT NULL,
  account TEXT NOT NULL,
  tenant TEXT NOT NULL,
  token INTEGER NOT NULL,
  model_calls REAL NOT NULL,
  tokens REAL NOT NULL,
  cost REAL NOT NULL,
  PRIMARY KEY (run_id, call, account)
) STRICT, WITHOUT ROWID;
CREATE INDEX reservations_by_account ON reservations (tenant, account);`,
  },
  {
    isAdditive: true,
    sql: `
CREATE TABLE schedules (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  key TEXT NOT NULL UNIQUE,
  revision TEXT NOT NULL,
  agent TEXT NOT NULL,
  resource_id TEXT,
  wake_at REAL,
  ended_at REAL,
  value TEXT NOT NULL,
  checksum INTEGER NOT NULL
) STRICT;
CREATE INDEX schedules_by_time ON schedules (wake_at) WHERE wake_at IS NOT NULL;
CREATE INDEX ended_schedules ON schedules (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX schedules_by_resource ON schedules (resource_id) WHERE resource_id IS NOT NULL;`,
  },
])

const versionQuery = 'PRAGMA user_version'

interface VersionRow {
  readonly user_version: number
}

/** Reads the version of a file, again and again. */
export function versionReader(on: ConstructorParameters<typeof Query>[0]): () => number {
  const query = new Query<VersionRow>(on, versionQuery)
  return () => query.get()?.user_version ?? 0
}

/** The versions of a file of ours; `undefined`: it has no tables yet. */
export function versionsOf(sql: DatabaseSync, version = versionReader(sql)()): SchemaVersions | undefined {
  if (version === 0) return undefined
  if (version < schema.first) return { version, oldest: version }
  const row = new Query<{ oldest: number }>(sql, 'SELECT oldest FROM schema_versions').get()
  return { version, oldest: row?.oldest ?? Number.POSITIVE_INFINITY }
}

/** Takes the steps that the file lacks. Runs in a transaction: all of them or none. */
export function migrate(sql: DatabaseSync, steps = schema): void {
  const { version, oldest } = versionsOf(sql) ?? { version: undefined, oldest: 0 }
  const missing = steps.missing(version)
  for (const step of missing) sql.exec(step)
  if (missing.length > 0) sql.exec(`UPDATE schema_versions SET oldest = ${Math.max(oldest, steps.oldest)}`)
  // Written in any case: a read-only file is detected here, and not at the first append.
  const newest = Math.max(version ?? 0, steps.version)
  sql.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${newest}`)
}
