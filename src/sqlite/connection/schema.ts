/**
 * The tables, as the migration steps that lead to them: a new file takes all steps, an older one those that it lacks.
 * Its `user_version` is the number of steps taken. A step that was released is never changed. The file also names the
 * oldest version that a release must know to work with its tables.
 */
import type { DatabaseSync } from 'node:sqlite'
import { Query } from './query.ts'

/** "Trpe": marks a file as ours. */
export const applicationId = 0x54727065

/** Of a row of `messages`, as JSON. A damaged message has none: to read it reports the damage. */
export const conversationOf = `CASE WHEN json_valid(message) THEN message -> '$.conversationId' END`

/** The text of a JSON string, as the columns of names hold it. */
const unquoted = (json: string): string => `substr(${json}, 2, length(${json}) - 2)`

/** The checksum of a row of \`runs\` in the files of schemas 6 to 8. */
const olderRunChecksum = `troupe_checksum(run_id, agent, conversation_id, forked_from, outcome, entries, started_at,
  updated_at, owner, token, expires_at, parked, wake_at)`

/** The checksum of a row of `runs` in the files of schemas 9 to 11. */
const runChecksumWithoutUsage = `troupe_checksum(run_id, agent, conversation_id, forked_from, outcome, entries, started_at,
  updated_at, owner, token, expires_at, parked, wake_at, thread_id, resource_id)`

/** The checksum of a row of `runs` in the files of schema 12. */
const runChecksumWithUsage = `troupe_checksum(run_id, agent, conversation_id, forked_from, outcome, entries, started_at,
  updated_at, owner, token, expires_at, parked, wake_at, thread_id, resource_id, usage)`

/** The checksum of a row of `runs` in the files of schema 13. */
const runChecksumWithoutLapses = `troupe_checksum(run_id, agent, conversation_id, forked_from, outcome, entries, started_at,
  updated_at, owner, token, expires_at, parked, wake_at, thread_id, resource_id, usage, suspended_at)`

/** A field of an entry, as JSON. An entry that is damaged has none. */
const fieldOf = (path: string): string => `CASE WHEN json_valid(entry) THEN entry -> '${path}' END`

/** The sum of a count over rows whose column `used` is a usage; NULL where it is 0. */
const countOf = (name: string): string => `nullif(sum(used ->> '$.${name}'), 0)`

const steps: readonly string[] = [
  // 1: runs. `entries.id` is the order of all appends; times are REAL because a clock may give fractions.
  `CREATE TABLE runs (
    id INTEGER PRIMARY KEY,
    run_id TEXT NOT NULL UNIQUE,
    agent TEXT NOT NULL,
    conversation_id TEXT,
    forked_from TEXT,
    outcome TEXT,
    entries INTEGER NOT NULL,
    started_at REAL NOT NULL,
    updated_at REAL NOT NULL,
    owner TEXT NOT NULL,
    token INTEGER NOT NULL,
    expires_at REAL NOT NULL,
    parked INTEGER NOT NULL DEFAULT 0,
    wake_at REAL
  ) STRICT;
  CREATE INDEX unfinished_runs ON runs (id) WHERE outcome IS NULL;
  CREATE INDEX runs_by_conversation ON runs (conversation_id) WHERE conversation_id IS NOT NULL;
  CREATE TABLE entries (
    id INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES runs (id),
    seq INTEGER NOT NULL,
    entry TEXT NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX entries_by_run ON entries (run, seq);
  CREATE TABLE post (
    id INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES runs (id),
    signal TEXT NOT NULL
  ) STRICT;
  CREATE INDEX post_by_run ON post (run);`,
  // 2: memory and configuration.
  `CREATE TABLE threads (
    id INTEGER PRIMARY KEY,
    thread_id TEXT NOT NULL UNIQUE,
    resource_id TEXT,
    created_at REAL NOT NULL,
    updated_at REAL NOT NULL
  ) STRICT;
  CREATE INDEX threads_by_resource ON threads (resource_id) WHERE resource_id IS NOT NULL;
  CREATE TABLE messages (
    id INTEGER PRIMARY KEY,
    thread INTEGER NOT NULL REFERENCES threads (id) ON DELETE CASCADE,
    message_id TEXT NOT NULL,
    message TEXT NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX messages_by_message_id ON messages (thread, message_id);
  CREATE INDEX messages_by_thread ON messages (thread, id);
  CREATE TABLE working_memory (
    resource_id TEXT PRIMARY KEY,
    content TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE config_items (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    UNIQUE (kind, key)
  ) STRICT;`,
  // 3: the id of a queued signal is never reused, so that a reader that has an id cannot mistake another signal for it.
  `CREATE TABLE posts (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    run INTEGER NOT NULL REFERENCES runs (id),
    signal TEXT NOT NULL
  ) STRICT;
  INSERT INTO posts (id, run, signal) SELECT id, run, signal FROM post ORDER BY id;
  DROP TABLE post;
  ALTER TABLE posts RENAME TO post;
  CREATE INDEX post_by_run ON post (run);`,
  // 4: the future owner of a thread that a run has begun and that holds nothing yet.
  `CREATE TABLE thread_claims (
    thread_id TEXT NOT NULL,
    run_id TEXT NOT NULL,
    resource_id TEXT,
    PRIMARY KEY (thread_id, run_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX thread_claims_by_run ON thread_claims (run_id);`,
  // 5: a queued answer claims its question, by the effect key: one at a time.
  `ALTER TABLE post RENAME TO queued_signals;
  ALTER TABLE queued_signals ADD COLUMN claim TEXT;
  DROP INDEX post_by_run;
  CREATE INDEX queued_signals_by_run ON queued_signals (run);
  CREATE UNIQUE INDEX queued_signals_by_claim ON queued_signals (run, claim) WHERE claim IS NOT NULL;`,
  // 6: a checksum for each row. It covers the owner of the row, and its position, so that swapped rows are found. The
  // second indexes distinguish a missing row from one that a damaged index does not have.
  `ALTER TABLE runs ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;
  UPDATE runs SET checksum = troupe_checksum(run_id, agent, conversation_id, forked_from, outcome, entries, started_at,
    updated_at, owner, token, expires_at, parked, wake_at);
  ALTER TABLE entries ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;
  UPDATE entries SET checksum =
    troupe_checksum((SELECT run_id FROM runs WHERE runs.id = entries.run), seq, entry);
  ALTER TABLE queued_signals ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;
  UPDATE queued_signals SET checksum =
    troupe_checksum((SELECT run_id FROM runs WHERE runs.id = queued_signals.run), claim, signal);
  CREATE INDEX runs_again ON runs (run_id, id);
  ALTER TABLE threads ADD COLUMN messages INTEGER NOT NULL DEFAULT 0;
  UPDATE threads SET messages = (SELECT count(*) FROM messages WHERE messages.thread = threads.id);
  ALTER TABLE threads ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;
  UPDATE threads SET checksum = troupe_checksum(thread_id, resource_id, created_at, updated_at, messages);
  CREATE INDEX threads_again ON threads (thread_id, id);
  ALTER TABLE messages ADD COLUMN seq INTEGER NOT NULL DEFAULT 0;
  UPDATE messages SET seq = numbered.seq
    FROM (SELECT id, row_number() OVER (PARTITION BY thread ORDER BY id) - 1 AS seq FROM messages) AS numbered
    WHERE numbered.id = messages.id;
  ALTER TABLE messages ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;
  UPDATE messages SET checksum =
    troupe_checksum((SELECT thread_id FROM threads WHERE threads.id = messages.thread), seq, message_id, message);
  ALTER TABLE working_memory ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;
  UPDATE working_memory SET checksum = troupe_checksum(resource_id, content);
  CREATE INDEX working_memory_again ON working_memory (resource_id, checksum);
  ALTER TABLE config_items ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;
  UPDATE config_items SET checksum = troupe_checksum(kind, key, value);`,
  // 7: threads by the conversations of their messages.
  `CREATE INDEX messages_by_conversation ON messages (${conversationOf}, thread);`,
  // 8: the bytes of files. Their SHA-256 is their key, and their checksum.
  `CREATE TABLE blobs (
    id INTEGER PRIMARY KEY,
    ref TEXT NOT NULL UNIQUE,
    bytes BLOB NOT NULL
  ) STRICT;`,
  // 9: thread and resource of a run in its row; the open questions; the runs and threads that hold each blob. A row that
  // is damaged keeps its checksum, so that it stays damaged. An id of a run is never used again: cursors hold it.
  `ALTER TABLE runs ADD COLUMN thread_id TEXT;
  ALTER TABLE runs ADD COLUMN resource_id TEXT;
  UPDATE runs SET (thread_id, resource_id) = (
      SELECT CASE
          WHEN entry -> '$.threadId' IS NOT NULL THEN ${unquoted(`entry -> '$.threadId'`)}
          WHEN entry -> '$.remembers' = 'true' THEN runs.run_id || '/' || runs.agent
        END, ${unquoted(`entry -> '$.resourceId'`)}
      FROM entries WHERE entries.run = runs.id AND entries.seq = 0 AND json_valid(entry)
    ) WHERE checksum = ${olderRunChecksum};
  UPDATE runs SET checksum = troupe_checksum(run_id, agent, conversation_id, forked_from, outcome, entries, started_at,
    updated_at, owner, token, expires_at, parked, wake_at, thread_id, resource_id) WHERE checksum = ${olderRunChecksum};
  CREATE INDEX runs_by_agent ON runs (agent);
  CREATE INDEX runs_by_thread ON runs (thread_id) WHERE thread_id IS NOT NULL;
  CREATE INDEX runs_by_resource ON runs (resource_id) WHERE resource_id IS NOT NULL;
  CREATE INDEX unfinished_runs_by_state ON runs (parked) WHERE outcome IS NULL;
  CREATE INDEX ended_runs ON runs (updated_at) WHERE outcome IS NOT NULL;
  CREATE TABLE run_positions (highest INTEGER NOT NULL) STRICT;
  INSERT INTO run_positions VALUES (0);
  CREATE TABLE questions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    run INTEGER NOT NULL REFERENCES runs (id),
    call TEXT NOT NULL,
    agent TEXT NOT NULL,
    type TEXT NOT NULL,
    resource_id TEXT,
    thread_id TEXT,
    conversation_id TEXT,
    question TEXT NOT NULL,
    checksum INTEGER NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX questions_by_run ON questions (run, call);
  CREATE INDEX questions_by_agent ON questions (agent);
  CREATE INDEX questions_by_resource ON questions (resource_id) WHERE resource_id IS NOT NULL;
  CREATE INDEX questions_by_thread ON questions (thread_id) WHERE thread_id IS NOT NULL;
  CREATE INDEX questions_by_conversation ON questions (conversation_id) WHERE conversation_id IS NOT NULL;
  CREATE INDEX threads_by_change ON threads (updated_at);
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
  INSERT INTO blob_holders (blob, holder)
    SELECT DISTINCT blobs.id, 'run ' || runs.run_id
    FROM entries JOIN runs ON runs.id = entries.run, json_tree(entries.entry) AS named
      JOIN blobs ON blobs.ref = named.atom
    WHERE EXISTS (SELECT 1 FROM blobs) AND json_valid(entries.entry) AND named.key = 'ref' AND named.type = 'text';
  INSERT INTO blob_holders (blob, holder)
    SELECT DISTINCT blobs.id, 'thread ' || threads.thread_id
    FROM messages JOIN threads ON threads.id = messages.thread, json_tree(messages.message) AS named
      JOIN blobs ON blobs.ref = named.atom
    WHERE EXISTS (SELECT 1 FROM blobs) AND json_valid(messages.message) AND named.key = 'ref' AND named.type = 'text';
  INSERT INTO blob_puts (blob, put_at)
    SELECT id, (julianday('now') - 2440587.5) * 86400000.0 FROM blobs;`,
  // 10: the holders of blobs that were not in the file when they put or held a blob. A hold of the file itself is none.
  `CREATE TABLE unbegun_holders (
    holder TEXT PRIMARY KEY,
    held_at REAL NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX unbegun_holders_by_time ON unbegun_holders (held_at);`,
  // 11: the oldest version that still works with the tables.
  `CREATE TABLE schema_versions (oldest INTEGER NOT NULL) STRICT;
  INSERT INTO schema_versions VALUES (11);`,
  // 12: the usage of a run in its row, as JSON. Those of older rows are read from their entries.
  `ALTER TABLE runs ADD COLUMN usage TEXT;
  UPDATE runs SET usage = coalesce(
      (SELECT ${fieldOf('$.usage')} FROM entries
        WHERE entries.run = runs.id AND instr(entry, '"run.settled"') > 0 AND ${fieldOf('$.type')} = '"run.settled"'
        ORDER BY seq LIMIT 1),
      (SELECT json_patch('{}', json_object('inputTokens', sum(used ->> '$.inputTokens'),
          'outputTokens', sum(used ->> '$.outputTokens'), 'totalTokens', sum(used ->> '$.totalTokens'),
          'cachedInputTokens', ${countOf('cachedInputTokens')}, 'cacheWriteTokens', ${countOf('cacheWriteTokens')},
          'reasoningTokens', ${countOf('reasoningTokens')}, 'cost', sum(used ->> '$.cost'),
          'incomplete', CASE WHEN max(used ->> '$.incomplete') = 1 THEN json('true') END))
        FROM (SELECT ${fieldOf('$.settlement.value.usage')} AS used FROM entries
          WHERE entries.run = runs.id AND instr(entry, '"usage"') > 0
            AND ${fieldOf('$.kind')} IN ('"model"', '"compaction"'))
        HAVING count(used) > 0)
    ) WHERE checksum = ${runChecksumWithoutUsage};
  UPDATE runs SET checksum = troupe_checksum(run_id, agent, conversation_id, forked_from, outcome, entries, started_at,
    updated_at, owner, token, expires_at, parked, wake_at, thread_id, resource_id, usage)
    WHERE checksum = ${runChecksumWithoutUsage};`,
  // 13: the number of entries with which a run was suspended last, in its row. The owners of older rows write it.
  `ALTER TABLE runs ADD COLUMN suspended_at INTEGER;
  UPDATE runs SET checksum = troupe_checksum(run_id, agent, conversation_id, forked_from, outcome, entries, started_at,
    updated_at, owner, token, expires_at, parked, wake_at, thread_id, resource_id, usage, suspended_at)
    WHERE checksum = ${runChecksumWithUsage};`,
  // 14: the claims of a lease that ran out, and the number of entries at the newest claim.
  `ALTER TABLE runs ADD COLUMN lapses INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE runs ADD COLUMN lapsed_at INTEGER NOT NULL DEFAULT 0;
  UPDATE runs SET checksum = troupe_checksum(run_id, agent, conversation_id, forked_from, outcome, entries, started_at,
    updated_at, owner, token, expires_at, parked, wake_at, thread_id, resource_id, usage, suspended_at, lapses, lapsed_at)
    WHERE checksum = ${runChecksumWithoutLapses};`,
]

/** The numbers of the steps that only add something: a release that lacks them works on with the tables. */
const additive: ReadonlySet<number> = new Set<number>()

export const schemaVersion = steps.length

/** The version that a release must know to work with these tables. */
const oldestVersion = Math.max(...steps.map((_, index) => (additive.has(index + 1) ? 0 : index + 1)))

export const oldestQuery = 'SELECT oldest FROM schema_versions'

export interface OldestRow {
  readonly oldest: number
}

export const versionQuery = 'PRAGMA user_version'

export interface VersionRow {
  readonly user_version: number
}

export function versionOf(sql: DatabaseSync): number {
  return new Query<VersionRow>(sql, versionQuery).get()?.user_version ?? 0
}

/** Whether this release works with the tables of a file whose version is newer. */
export function isBearable({ oldest }: OldestRow = { oldest: Number.POSITIVE_INFINITY }): boolean {
  return oldest <= schemaVersion
}

/** Takes the steps that the file lacks. Runs in a transaction: all of them or none. */
export function migrate(sql: DatabaseSync): void {
  const version = versionOf(sql)
  for (const step of steps.slice(version)) sql.exec(step)
  if (version < schemaVersion) sql.exec(`UPDATE schema_versions SET oldest = max(oldest, ${oldestVersion})`)
  // Written in any case: a read-only file is detected here, and not at the first append.
  const newest = Math.max(version, schemaVersion)
  sql.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${newest}`)
}
