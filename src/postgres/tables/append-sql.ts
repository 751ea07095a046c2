/** The statement of an append: it keeps every batch whole or not at all, and names those that it kept. */
import { toColumn, toOptionalColumn } from '../../runtime/journal/column-text.ts'
import { blobRefsIn } from '../../runtime/files/blob-refs.ts'
import type { RunBatch } from '../../runtime/journal/run-batch.ts'
import { questionColumns } from './question-changes.ts'
import { numberingLock } from './settled-page.ts'
import { addedUsage, schemaSteps, type Tables } from '../connection/schema.ts'

/** A batch, and the number of entries that its run must have. -1: the run is not to be appended to. */
export interface PlacedBatch extends RunBatch {
  readonly position: number
}

/**
 * `$1`: the batches. `$2`: the id of the append, which a run that begins keeps as that of its first claim. Rows of runs are locked in the order of their ids, so that two appends cannot wait for each other. A
 * run that was changed meanwhile is read again once its lock is free. An accepted answer is counted in its run: a run
 * with answers from which the batch does not come is not appended to. The threads that runs begin with are locked until
 * they have begun, so that no retention deletes one meanwhile.
 * with answers from which the batch does not come is not appended to. An append that numbers rows holds the lock of that
 * before it takes a number: see `settledPage`.
 */
export function appendSql({
  schema,
  meta,
  runs,
  entries,
  queuedSignals,
  threadClaims,
  channel,
  ...more
}: Tables): string {
  return `
WITH batch AS MATERIALIZED (
  SELECT * FROM jsonb_to_recordset(($1::text)::jsonb) AS b(
    run_id text, token int, position int, begins boolean, agent text, conversation_id text, thread_id text,
    resource_id text, forked_from text, started_at float8, owner text, expires_at float8, updated_at float8, outcome text, usage jsonb, suspended_at int,
    entries jsonb, queued jsonb, refs jsonb, closes_others boolean, closed jsonb, opened jsonb)
  WHERE (SELECT oldest FROM ${meta}) <= ${schemaSteps.version}
), numbering AS MATERIALIZED (
  SELECT pg_advisory_xact_lock_shared(${numberingLock(schema)})
  WHERE EXISTS (SELECT 1 FROM batch WHERE begins OR jsonb_array_length(opened) > 0)
), begun AS (
  INSERT INTO ${runs} (run_id, agent, conversation_id, thread_id, resource_id, forked_from, outcome, entries, started_at,
    updated_at, owner, token, expires_at, usage, suspended_at, claim_id)
  SELECT run_id, agent, conversation_id, thread_id, resource_id, forked_from, outcome, jsonb_array_length(entries), started_at,
    updated_at, owner, token, expires_at, usage, suspended_at, $2::text
  FROM numbering CROSS JOIN batch WHERE begins
  ON CONFLICT (run_id) DO NOTHING
  RETURNING id, run_id, outcome
), locked AS MATERIALIZED (
  SELECT runs.id, runs.run_id FROM ${runs} AS runs JOIN batch ON batch.run_id = runs.run_id AND NOT batch.begins
    CROSS JOIN (SELECT count(*) FROM numbering) AS numbered
  ORDER BY runs.run_id FOR NO KEY UPDATE OF runs
), extended AS (
  UPDATE ${runs} AS runs SET entries = runs.entries + jsonb_array_length(batch.entries),
    updated_at = coalesce(batch.updated_at, runs.updated_at), outcome = coalesce(batch.outcome, runs.outcome), answers = 0,
    suspended_at = coalesce(batch.suspended_at, runs.suspended_at),
    usage = CASE WHEN runs.outcome IS NOT NULL OR batch.usage IS NULL THEN runs.usage
      WHEN batch.outcome IS NOT NULL OR runs.usage IS NULL THEN batch.usage
      ELSE ${addedUsage('runs.usage', 'batch.usage')} END
  FROM batch JOIN locked ON locked.run_id = batch.run_id
  WHERE runs.id = locked.id AND runs.token = batch.token AND runs.entries = batch.position
    AND runs.answers = (SELECT count(*) FROM ${queuedSignals} AS queued WHERE queued.run = runs.id
      AND queued.claim IS NOT NULL AND batch.queued @> to_jsonb(queued.id))
  RETURNING runs.id, runs.run_id, runs.outcome
), kept AS (
  SELECT * FROM begun UNION ALL SELECT * FROM extended
), inserted AS (
  INSERT INTO ${entries} (run, seq, entry)
  SELECT kept.id, batch.position + item.n - 1, item.entry
  FROM kept JOIN batch ON batch.run_id = kept.run_id,
    jsonb_array_elements_text(batch.entries) WITH ORDINALITY AS item(entry, n)
), unqueued AS (
  DELETE FROM ${queuedSignals} AS queued USING kept, batch, jsonb_array_elements(batch.queued) AS item
  WHERE batch.run_id = kept.run_id AND queued.run = kept.id AND queued.id = item::text::bigint
), closed AS (
  DELETE FROM ${more.questions} AS questions USING kept, batch
  WHERE batch.run_id = kept.run_id AND questions.run = kept.id AND (kept.outcome IS NOT NULL
    OR batch.closed @> to_jsonb(questions.call)
    OR batch.closes_others AND NOT EXISTS (
      SELECT 1 FROM jsonb_array_elements(batch.opened) AS item WHERE item ->> 'call' = questions.call))
), opened AS (
  INSERT INTO ${more.questions} (run, call, agent, type, question)
  SELECT kept.id, item.q ->> 'call', item.q ->> 'agent', item.q ->> 'type', item.q ->> 'question'
  FROM numbering CROSS JOIN kept JOIN batch ON batch.run_id = kept.run_id AND kept.outcome IS NULL,
    jsonb_array_elements(batch.opened) WITH ORDINALITY AS item(q, n)
  ORDER BY kept.id, item.n
  ON CONFLICT (run, call) DO UPDATE SET agent = excluded.agent, type = excluded.type, question = excluded.question
), held AS (
  INSERT INTO ${more.holders} (ref, holder)
  SELECT blobs.ref, 'run ' || kept.run_id
  FROM kept JOIN batch ON batch.run_id = kept.run_id, jsonb_array_elements_text(batch.refs) AS named(ref)
    JOIN ${more.blobs} AS blobs ON blobs.ref = named.ref
  ON CONFLICT DO NOTHING
), noted AS (
  DELETE FROM ${more.unbegun} AS noted USING begun WHERE noted.holder = 'run ' || begun.run_id
), used AS MATERIALIZED (
  SELECT threads.id FROM ${more.threads} AS threads JOIN batch ON batch.begins AND batch.thread_id = threads.thread_id
  ORDER BY threads.id FOR KEY SHARE OF threads
), released AS (
  DELETE FROM ${threadClaims} AS claims USING kept, batch
  WHERE batch.run_id = kept.run_id AND batch.outcome IS NOT NULL AND claims.run_id = kept.run_id
)
SELECT run_id, pg_notify('${channel}', 'entries ' || run_id) FROM kept WHERE (SELECT count(*) FROM used) >= 0`
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
        usage,
        suspendedAt,
        queued,
        questions,
      }) => ({
        run_id: toColumn(runId),
        token: lease.token,
        position,
        begins: begins !== undefined,
        agent: toOptionalColumn(begins?.agent),
        conversation_id: toOptionalColumn(begins?.conversationId),
        thread_id: toOptionalColumn(begins?.threadId),
        resource_id: toOptionalColumn(begins?.resourceId),
        forked_from: toOptionalColumn(begins?.forkedFrom),
        started_at: begins?.startedAt ?? null,
        owner: toColumn(lease.owner),
        expires_at: lease.expiresAt,
        updated_at: updatedAt ?? null,
        outcome: outcome ?? null,
        usage: usage ?? null,
        suspended_at: suspendedAt ?? null,
        entries,
        queued,
        refs: [...new Set(entries.flatMap((entry) => blobRefsIn(entry)))],
        ...questionColumns(questions),
      }),
    ),
  )
}
