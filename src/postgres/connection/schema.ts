/**
 * The tables. Texts that users choose stand in them as `toColumn` writes them, because Postgres takes no NUL and no half of a
 * surrogate pair.
 */
import { SchemaSteps } from '../../kit/sql/index.ts'

export interface Tables {
  readonly schema: string
  readonly meta: string
  readonly runs: string
  readonly entries: string
  readonly queuedSignals: string
  readonly receipts: string
  readonly threads: string
  readonly messages: string
  readonly threadClaims: string
  readonly workingMemory: string
  readonly configItems: string
  readonly questions: string
  readonly blobs: string
  /** The runs and threads that hold blobs. */
  readonly holders: string
  /** The holders that were not there when they put or held a blob. */
  readonly unbegun: string
  /** What tenants have used, by period. */
  readonly ledger: string
  /** What calls in progress hold of it. */
  readonly reservations: string
  /** The schedules that start runs. */
  readonly schedules: string
  /** The channel of notifications. */
  readonly channel: string
}

/** The names of the tables in a schema whose name needs no escape. */
export function tablesIn(schema: string): Tables {
  const of = (name: string): string => `"${schema}".${name}`
  return {
    schema,
    meta: of('troupe_schema'),
    runs: of('runs'),
    entries: of('entries'),
    queuedSignals: of('queued_signals'),
    receipts: of('signal_receipts'),
    threads: of('threads'),
    messages: of('messages'),
    threadClaims: of('thread_claims'),
    workingMemory: of('working_memory'),
    configItems: of('config_items'),
    questions: of('questions'),
    blobs: of('blobs'),
    holders: of('blob_holders'),
    unbegun: of('unbegun_holders'),
    ledger: of('ledger'),
    reservations: of('reservations'),
    schedules: of('schedules'),
    channel: `troupe_${schema}`,
  }
}

/** Of the values of one field of usages: the sum of the numbers, or that it is true. */
const sumOf = (value: string): string =>
  `CASE WHEN bool_or(${value} = 'true'::jsonb) THEN 'true'::jsonb
    ELSE to_jsonb(sum(CASE WHEN jsonb_typeof(${value}) = 'number' THEN ${value}::text::numeric END)) END`

/** The sum of two usages of jsonb. */
export function addedUsage(before: string, added: string): string {
  return `(SELECT jsonb_object_agg(name, value) FROM (
    SELECT name, ${sumOf('value')} AS value
    FROM (SELECT * FROM jsonb_each(${before}) UNION ALL SELECT * FROM jsonb_each(${added})) AS item(name, value)
    GROUP BY name) AS sums)`
}

/** The cost of a run, as its index has it. */
export const costOfRun = `coalesce((usage ->> 'cost')::float8, 0)`

/** Times are double precision, because a clock may give fractions. */
export const schemaSteps = new SchemaSteps<(tables: Tables) => string>(9, [
  {
    sql: ({ runs, entries, queuedSignals, receipts, ...more }) => `
CREATE TABLE ${runs} (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  run_id text COLLATE "C" NOT NULL UNIQUE,
  agent text NOT NULL,
  conversation_id text,
  thread_id text,
  resource_id text,
  forked_from text,
  nested_in text,
  outcome text,
  code text,
  task text,
  entries integer NOT NULL,
  started_at double precision NOT NULL,
  counts_from double precision NOT NULL,
  updated_at double precision NOT NULL,
  ended_at double precision,
  owner text NOT NULL,
  token integer NOT NULL,
  expires_at double precision NOT NULL,
  passivated boolean NOT NULL DEFAULT false,
  wake_at double precision,
  suspended_at integer,
  usage jsonb,
  lapses integer NOT NULL DEFAULT 0,
  lapsed_at integer NOT NULL DEFAULT 0,
  answers integer NOT NULL DEFAULT 0,
  claim_id text,
  was_passivated boolean NOT NULL DEFAULT false,
  was_wake_at double precision
);
CREATE INDEX ON ${runs} (id) WHERE outcome IS NULL;
CREATE INDEX ON ${runs} (conversation_id, id) WHERE conversation_id IS NOT NULL;
CREATE INDEX ON ${runs} (thread_id, id) WHERE thread_id IS NOT NULL;
CREATE INDEX ON ${runs} (resource_id, id) WHERE resource_id IS NOT NULL;
CREATE INDEX ON ${runs} (forked_from, id) WHERE forked_from IS NOT NULL;
CREATE INDEX ON ${runs} (nested_in, id) WHERE nested_in IS NOT NULL;
CREATE INDEX ON ${runs} (agent, id);
CREATE INDEX ON ${runs} (updated_at, id) WHERE outcome IS NOT NULL;
CREATE INDEX ON ${runs} (started_at) WHERE outcome IS NOT NULL;
CREATE INDEX ON ${runs} (outcome, id) WHERE outcome IS NOT NULL;
CREATE INDEX ON ${runs} (code, id) WHERE outcome IS NOT NULL;
CREATE INDEX ON ${runs} ((${costOfRun}), id) WHERE outcome IS NOT NULL;
CREATE INDEX ON ${runs} ((ended_at - counts_from), id) WHERE outcome IS NOT NULL;
CREATE TABLE ${entries} (
  run bigint NOT NULL REFERENCES ${runs} (id) ON DELETE CASCADE,
  seq integer NOT NULL,
  entry text NOT NULL,
  PRIMARY KEY (run, seq)
);
CREATE TABLE ${queuedSignals} (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  run bigint NOT NULL REFERENCES ${runs} (id) ON DELETE CASCADE,
  signal text NOT NULL,
  claim text
);
CREATE INDEX ON ${queuedSignals} (run, id);
CREATE UNIQUE INDEX ON ${queuedSignals} (run, claim) WHERE claim IS NOT NULL;
CREATE TABLE ${more.questions} (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  run bigint NOT NULL REFERENCES ${runs} (id) ON DELETE CASCADE,
  call text COLLATE "C" NOT NULL,
  agent text NOT NULL,
  type text NOT NULL,
  since double precision NOT NULL,
  question text NOT NULL,
  UNIQUE (run, call)
);
CREATE INDEX ON ${more.questions} (since);
CREATE TABLE ${receipts} (
  id text PRIMARY KEY,
  at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX ON ${receipts} (at);
CREATE TABLE ${more.threads} (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  thread_id text COLLATE "C" NOT NULL UNIQUE,
  resource_id text COLLATE "C",
  created_at double precision NOT NULL,
  updated_at double precision NOT NULL,
  next_seq integer NOT NULL DEFAULT 0
);
CREATE INDEX ON ${more.threads} (updated_at);
CREATE INDEX ON ${more.threads} (resource_id, id) WHERE resource_id IS NOT NULL;
CREATE TABLE ${more.messages} (
  thread bigint NOT NULL REFERENCES ${more.threads} (id) ON DELETE CASCADE,
  seq integer NOT NULL,
  message_id text COLLATE "C" NOT NULL,
  conversation_id text,
  resource_id text COLLATE "C",
  message text NOT NULL,
  PRIMARY KEY (thread, message_id)
);
CREATE UNIQUE INDEX ON ${more.messages} (thread, seq);
CREATE INDEX ON ${more.messages} (conversation_id, thread) WHERE conversation_id IS NOT NULL;
CREATE INDEX ON ${more.messages} (resource_id, thread) WHERE resource_id IS NOT NULL;
CREATE TABLE ${more.threadClaims} (
  thread_id text COLLATE "C" NOT NULL,
  run_id text COLLATE "C" NOT NULL,
  resource_id text,
  PRIMARY KEY (thread_id, run_id)
);
CREATE INDEX ON ${more.threadClaims} (run_id);
CREATE TABLE ${more.workingMemory} (
  resource_id text COLLATE "C" PRIMARY KEY,
  content text NOT NULL,
  updated_at double precision NOT NULL
);
CREATE INDEX ON ${more.workingMemory} (updated_at);
CREATE TABLE ${more.configItems} (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind text NOT NULL,
  key text NOT NULL,
  value text NOT NULL,
  UNIQUE (kind, key)
);
CREATE TABLE ${more.blobs} (
  ref text PRIMARY KEY,
  bytes bytea NOT NULL,
  put_at double precision,
  is_left boolean NOT NULL DEFAULT false
);
CREATE INDEX ON ${more.blobs} (put_at) WHERE put_at IS NOT NULL;
CREATE TABLE ${more.holders} (
  ref text NOT NULL REFERENCES ${more.blobs} (ref),
  holder text COLLATE "C" NOT NULL,
  PRIMARY KEY (ref, holder)
);
CREATE INDEX ON ${more.holders} (holder);
CREATE TABLE ${more.unbegun} (
  holder text COLLATE "C" PRIMARY KEY,
  held_at double precision NOT NULL
);
CREATE INDEX ON ${more.unbegun} (held_at);`,
  },
  {
    sql: ({ ledger, reservations }) => `
CREATE TABLE ${ledger} (
  tenant text COLLATE "C" NOT NULL,
  account text COLLATE "C" NOT NULL,
  model_calls double precision NOT NULL DEFAULT 0,
  tokens double precision NOT NULL DEFAULT 0,
  cost double precision NOT NULL DEFAULT 0,
  PRIMARY KEY (tenant, account)
);
CREATE TABLE ${reservations} (
  run_id text COLLATE "C" NOT NULL,
  call text COLLATE "C" NOT NULL,
  account text COLLATE "C" NOT NULL,
  tenant text COLLATE "C" NOT NULL,
  token integer NOT NULL,
  model_calls double precision NOT NULL,
  tokens double precision NOT NULL,
  cost double precision NOT NULL,
  PRIMARY KEY (run_id, call, account)
);
CREATE INDEX ON ${reservations} (tenant, account);`,
  },
  {
    isAdditive: true,
    sql: ({ schedules }) => `
CREATE TABLE ${schedules} (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  key text COLLATE "C" NOT NULL UNIQUE,
  revision text NOT NULL,
  agent text NOT NULL,
  resource_id text,
  wake_at double precision,
  ended_at double precision,
  value text NOT NULL
);
CREATE INDEX ON ${schedules} (wake_at) WHERE wake_at IS NOT NULL;
CREATE INDEX ON ${schedules} (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX ON ${schedules} (resource_id) WHERE resource_id IS NOT NULL;`,
  },
])
