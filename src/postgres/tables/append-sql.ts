/** The statement of an append: it keeps every batch whole or not at all, and names those that it kept. */
import { type RunBatch, blobRefsIn } from '../../kit/index.ts'
import { toColumn, toOptionalColumn, questionColumns } from '../../kit/sql/index.ts'
import { numberingLock } from './settled-page.ts'
import { addedUsage, schemaSteps, type Tables } from '../connection/schema.ts'

/** A batch, and the number of entries that its run must have. -1: the run is not to be appended to. */
export interface PlacedBatch extends RunBatch {
  readonly position: number
}

/** A part of the statement: what it reads or changes, under its name. The parts before it can be read. */
type Part = readonly [name: string, sql: string]

/** The columns of a run that begins, beside the number of its entries. */
const begunColumns = `run_id, agent, conversation_id, thread_id, resource_id, forked_from, nested_in, outcome, started_at, updated_at,
  code, task, counts_from, ended_at, owner, token, expires_at, usage, suspended_at`

/** The batches. A release that no longer fits the tables has none. */
function given({ meta }: Tables): Part {
  return [
    'batch AS MATERIALIZED',
    `SELECT * FROM jsonb_to_recordset(($1::text)::jsonb) AS b(
      run_id text, token int, position int, begins boolean, refuses boolean, agent text, conversation_id text,
      thread_id text, resource_id text, forked_from text, nested_in text, started_at float8, owner text, expires_at float8,
      updated_at float8, code text, task text, counts_from float8, ended_at float8, outcome text, usage jsonb, suspended_at int, entries jsonb, queued jsonb, refs jsonb, spent jsonb,
      closes_others boolean, closed jsonb, opened jsonb)
    WHERE (SELECT oldest FROM ${meta}) <= ${schemaSteps.version}`,
  ]
}

/** An append that numbers rows holds the lock of that before it takes a number: see `settledPage`. */
function numbering({ schema }: Tables): Part {
  return [
    'numbering AS MATERIALIZED',
    `SELECT pg_advisory_xact_lock_shared(${numberingLock(schema)})
    WHERE EXISTS (SELECT 1 FROM batch WHERE begins OR jsonb_array_length(opened) > 0)`,
  ]
}

/** `$2`: the id of the append, which a run that begins keeps as that of its first claim. */
function begun({ runs }: Tables): Part {
  return [
    'begun AS',
    `INSERT INTO ${runs} (${begunColumns}, entries, claim_id)
    SELECT ${begunColumns}, jsonb_array_length(entries), $2::text FROM numbering CROSS JOIN batch WHERE begins
    ON CONFLICT (run_id) DO NOTHING
    RETURNING id, run_id, outcome`,
  ]
}

/**
 * The rows of runs that go on, locked in the order of their ids, so that two appends cannot wait for each other. A run that
 * was changed meanwhile is read again once its lock is free.
 */
function locked({ runs }: Tables): Part {
  return [
    'locked AS MATERIALIZED',
    `SELECT runs.id, runs.run_id FROM ${runs} AS runs JOIN batch ON batch.run_id = runs.run_id AND NOT batch.begins
      CROSS JOIN (SELECT count(*) FROM numbering) AS numbered
    ORDER BY runs.run_id FOR NO KEY UPDATE OF runs`,
  ]
}

/**
 * The runs that go on. An accepted answer is counted in its run: a run with answers from which the batch does not come is
 * not appended to, unless the batch only refuses signals. A signal of a run that has ended goes whoever refuses it.
 */
function extended({ runs, queuedSignals }: Tables): Part {
  const heard = `(SELECT count(*) FROM ${queuedSignals} AS queued WHERE queued.run = runs.id
      AND queued.claim IS NOT NULL AND batch.queued @> to_jsonb(queued.id))`
  return [
    'extended AS',
    `UPDATE ${runs} AS runs SET entries = runs.entries + jsonb_array_length(batch.entries),
      updated_at = coalesce(batch.updated_at, runs.updated_at), outcome = coalesce(batch.outcome, runs.outcome),
      code = CASE WHEN runs.ended_at IS NULL THEN batch.code ELSE runs.code END,
      ended_at = coalesce(runs.ended_at, batch.ended_at),
      answers = CASE WHEN batch.refuses THEN runs.answers - ${heard} ELSE 0 END,
      suspended_at = coalesce(batch.suspended_at, runs.suspended_at),
      usage = CASE WHEN runs.outcome IS NOT NULL OR batch.usage IS NULL THEN runs.usage
        WHEN batch.outcome IS NOT NULL OR runs.usage IS NULL THEN batch.usage
        ELSE ${addedUsage('runs.usage', 'batch.usage')} END
    FROM batch JOIN locked ON locked.run_id = batch.run_id
    WHERE runs.id = locked.id AND (batch.refuses AND runs.outcome IS NOT NULL OR runs.token = batch.token
      AND runs.entries = batch.position AND (batch.refuses OR runs.answers = ${heard}))
    RETURNING runs.id, runs.run_id, runs.outcome`,
  ]
}

const kept: Part = ['kept AS', 'SELECT * FROM begun UNION ALL SELECT * FROM extended']

function inserted({ entries }: Tables): Part {
  return [
    'inserted AS',
    `INSERT INTO ${entries} (run, seq, entry)
    SELECT kept.id, batch.position + item.n - 1, item.entry
    FROM kept JOIN batch ON batch.run_id = kept.run_id,
      jsonb_array_elements_text(batch.entries) WITH ORDINALITY AS item(entry, n)`,
  ]
}

function unqueued({ queuedSignals }: Tables): Part {
  return [
    'unqueued AS',
    `DELETE FROM ${queuedSignals} AS queued USING kept, batch, jsonb_array_elements(batch.queued) AS item
    WHERE batch.run_id = kept.run_id AND queued.run = kept.id AND queued.id = item::text::bigint`,
  ]
}

function closed({ questions }: Tables): Part {
  return [
    'closed AS',
    `DELETE FROM ${questions} AS questions USING kept, batch
    WHERE batch.run_id = kept.run_id AND questions.run = kept.id AND (kept.outcome IS NOT NULL
      OR batch.closed @> to_jsonb(questions.call)
      OR batch.closes_others AND NOT EXISTS (
        SELECT 1 FROM jsonb_array_elements(batch.opened) AS item WHERE item ->> 'call' = questions.call))`,
  ]
}

function opened({ questions }: Tables): Part {
  return [
    'opened AS',
    `INSERT INTO ${questions} (run, call, agent, type, since, question)
    SELECT kept.id, item.q ->> 'call', item.q ->> 'agent', item.q ->> 'type', (item.q ->> 'since')::float8,
      item.q ->> 'question'
    FROM numbering CROSS JOIN kept JOIN batch ON batch.run_id = kept.run_id AND kept.outcome IS NULL,
      jsonb_array_elements(batch.opened) WITH ORDINALITY AS item(q, n)
    ORDER BY kept.id, item.n
    ON CONFLICT (run, call) DO UPDATE SET agent = excluded.agent, type = excluded.type, since = excluded.since,
      question = excluded.question`,
  ]
}

/** The blobs that the entries name. */
function held({ holders, blobs }: Tables): Part {
  return [
    'held AS',
    `INSERT INTO ${holders} (ref, holder)
    SELECT blobs.ref, 'run ' || kept.run_id
    FROM kept JOIN batch ON batch.run_id = kept.run_id, jsonb_array_elements_text(batch.refs) AS named(ref)
      JOIN ${blobs} AS blobs ON blobs.ref = named.ref
    ON CONFLICT DO NOTHING`,
  ]
}

/** A run that has begun is no longer noted as one that may never begin. */
function noted({ unbegun }: Tables): Part {
  return [
    'noted AS',
    `DELETE FROM ${unbegun} AS noted USING begun WHERE noted.holder = 'run ' || begun.run_id`,
  ]
}

/** The threads that runs begin with, locked until they have begun: no retention deletes one meanwhile. */
function used({ threads }: Tables): Part {
  return [
    'used AS MATERIALIZED',
    `SELECT threads.id FROM ${threads} AS threads JOIN batch ON batch.begins AND batch.thread_id = threads.thread_id
    ORDER BY threads.id FOR KEY SHARE OF threads`,
  ]
}

/** The claims on threads of runs that have ended. */
function released({ threadClaims }: Tables): Part {
  return [
    'released AS',
    `DELETE FROM ${threadClaims} AS claims USING kept, batch
    WHERE batch.run_id = kept.run_id AND batch.outcome IS NOT NULL AND claims.run_id = kept.run_id`,
  ]
}

/** What calls have used, with their entries. The rows of the ledger are taken in one order. */
function spent({ ledger }: Tables): Part {
  return [
    'spent AS',
    `INSERT INTO ${ledger} AS ledger (tenant, account, model_calls, tokens, cost)
    SELECT item.s ->> 'tenant', name, sum((item.s ->> 'model_calls')::float8), sum((item.s ->> 'tokens')::float8),
      sum((item.s ->> 'cost')::float8)
    FROM kept JOIN batch ON batch.run_id = kept.run_id, jsonb_array_elements(batch.spent) AS item(s),
      jsonb_array_elements_text(item.s -> 'accounts') AS account(name)
    GROUP BY 1, 2 ORDER BY (item.s ->> 'tenant') COLLATE "C", name COLLATE "C"
    ON CONFLICT (tenant, account) DO UPDATE SET model_calls = ledger.model_calls + excluded.model_calls,
      tokens = ledger.tokens + excluded.tokens, cost = ledger.cost + excluded.cost`,
  ]
}

/** The reservations of calls that have ended, and of runs that have. */
function unreserved({ reservations }: Tables): Part {
  return [
    'unreserved AS',
    `DELETE FROM ${reservations} AS held USING kept, batch
    WHERE batch.run_id = kept.run_id AND held.run_id = kept.run_id AND (batch.outcome IS NOT NULL
      OR EXISTS (SELECT 1 FROM jsonb_array_elements(batch.spent) AS item(s) WHERE item.s ->> 'key' = held.call))`,
  ]
}

/** The statement of batches of all kinds. */
export function appendSql(tables: Tables): string {
  const places = [given, numbering, begun, locked, extended].map((part) => part(tables))
  const changes = [inserted, unqueued, closed, opened, held, noted, used, released, spent, unreserved].map(
    (part) => part(tables),
  )
  return `${withParts([...places, kept, ...changes])}
SELECT run_id, pg_notify('${tables.channel}', 'entries ' || run_id) FROM kept
WHERE (SELECT count(*) FROM used) >= 0`
}

/** The statement of batches that add entries and nothing else: most of them. The server takes a third less time for it. */
export function plainAppendSql(tables: Tables): string {
  const unnumbered: Part = ['numbering AS', 'SELECT 1']
  const keptOnly: Part = ['kept AS', 'SELECT * FROM extended']
  const parts = [given(tables), unnumbered, locked(tables), extended(tables), keptOnly, inserted(tables)]
  return `${withParts(parts)}
SELECT run_id, pg_notify('${tables.channel}', 'entries ' || run_id) FROM kept`
}

function withParts(parts: readonly Part[]): string {
  return `WITH ${parts.map(([name, sql]) => `${name} (${sql})`).join(', ')}`
}

/** Whether a batch adds entries to a run that goes on, and nothing else. */
export function isPlain({ begins, outcome, queued, questions, spent, entries }: RunBatch): boolean {
  return (
    spent.length === 0 &&
    begins === undefined &&
    outcome === undefined &&
    queued.length === 0 &&
    questions.length === 0 &&
    entries.every((entry) => blobRefsIn(entry).length === 0)
  )
}

/** The parameter of the statement. */
export function batchRows(batches: readonly PlacedBatch[]): string {
  return JSON.stringify(
    batches.map(
      ({
        runId,
        lease,
        position,
        begins,
        entries,
        updatedAt,
        outcome,
        code,
        endedAt,
        usage,
        suspendedAt,
        queued,
        questions,
        spent: spendings,
        isRefusal,
      }) => ({
        run_id: toColumn(runId),
        token: lease.token,
        position,
        begins: begins !== undefined,
        refuses: isRefusal,
        agent: toOptionalColumn(begins?.agent),
        conversation_id: toOptionalColumn(begins?.conversationId),
        thread_id: toOptionalColumn(begins?.threadId),
        resource_id: toOptionalColumn(begins?.resourceId),
        forked_from: toOptionalColumn(begins?.forkedFrom),
        nested_in: toOptionalColumn(begins?.nestedIn),
        started_at: begins?.startedAt ?? null,
        owner: toColumn(lease.owner),
        expires_at: lease.expiresAt,
        updated_at: updatedAt ?? null,
        outcome: outcome ?? null,
        code: toOptionalColumn(code),
        task: toOptionalColumn(begins?.task),
        counts_from: begins?.countsFrom ?? null,
        ended_at: endedAt ?? null,
        usage: usage ?? null,
        suspended_at: suspendedAt ?? null,
        entries,
        queued,
        spent: spendings.map(({ tenant, key, accounts, amount }) => ({
          tenant: toColumn(tenant),
          key: toColumn(key),
          accounts,
          model_calls: amount.modelCalls,
          tokens: amount.tokens,
          cost: amount.cost,
        })),
        refs: [...new Set(entries.flatMap((entry) => blobRefsIn(entry)))],
        ...questionColumns(questions),
      }),
    ),
  )
}
