/** A file as the first schema left it, written down here so that later changes of the source cannot change it. */
import type { JournalEntry } from 'troupe'

const schema = `
  CREATE TABLE runs (
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
  CREATE INDEX post_by_run ON post (run);
  PRAGMA application_id = 1416786021;
  PRAGMA user_version = 1;`

/** With one passivated run of two entries, which has had two owners and has post. */
export function versionOne(first: JournalEntry, second: JournalEntry): readonly string[] {
  return [
    'PRAGMA journal_mode = WAL',
    schema,
    `INSERT INTO runs VALUES (1, 'a', 'scout', NULL, NULL, NULL, 2, ${first.at}, ${second.at}, 'x', 3, 0, 1, 90)`,
    `INSERT INTO entries VALUES (1, 1, 0, '${JSON.stringify(first)}'), (2, 1, 1, '${JSON.stringify(second)}')`,
    `INSERT INTO post VALUES (1, 1, '{"type":"cancel","reason":"why not"}')`,
  ]
}
