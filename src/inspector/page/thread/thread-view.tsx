/** All that was said in a run, nested by agents and folded, with what models were offered, and the text that is being written. */
import type { VNode } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import type { RunModel } from '../model/run-model.ts'
import type { ShownRun } from '../connection/run-session.ts'
import { Spoken } from '../panels/message.tsx'
import { plural } from '../shared/format.ts'
import { usePage } from '../shared/page-context.ts'
import { Said } from '../shared/words.tsx'
import { Details } from './details.ts'
import { Turn } from './turn.tsx'
import { threadsOf, type AgentThread, type ThreadPart } from './thread-parts.ts'

/** Parts of a thread that are shown at once. */
const window = 100

export function ThreadView({ session }: { readonly session: ShownRun }): VNode {
  const { api } = usePage()
  const model = session.model.value
  const length = model.length.value
  const threads = useMemo(() => threadsOf(model.rows), [model, length])
  const details = useMemo(() => new Details(api, session.runId), [api, session.runId, model])
  if (threads.length === 0)
    return (
      <p class="empty" role="status">
        Nothing was said yet.
      </p>
    )
  return (
    <div class="thread" role="group" aria-label="Thread" tabIndex={0}>
      {threads.map((thread) => (
        <Agent key={thread.path} thread={thread} level={1} session={session} details={details} />
      ))}
    </div>
  )
}

interface AgentProps {
  readonly thread: AgentThread
  readonly level: number
  readonly session: ShownRun
  readonly details: Details
}

/** Threads below this level are folded at first. */
const openLevels = 3

function Agent({ thread, level, session, details }: AgentProps): VNode {
  const model = session.model.value
  const cursor = model.cursor.value
  const holdsCursor = model.wanted.value !== undefined && placeOf(thread.parts, cursor) !== undefined
  const [folding, setFolding] = useState<boolean | undefined>(undefined)
  const isOpen = folding ?? (level <= openLevels || holdsCursor)
  const { path, agent, task, parts } = thread
  return (
    <section class="thread-agent" aria-label={agent}>
      <h2 class="thread-head">
        <button
          type="button"
          class="thread-fold"
          aria-expanded={isOpen}
          title={path}
          onClick={() => setFolding(!isOpen)}
        >
          <span aria-hidden="true">{isOpen ? '▾' : '▸'}</span>
          <b class="said">
            <Said text={agent} />
          </b>
          <span class="muted cut said" dir="auto">
            <Said text={task} />
          </span>
          <span class="muted thread-count">{plural(parts.length, 'part')}</span>
        </button>
      </h2>
      {isOpen && <Parts thread={thread} level={level} session={session} details={details} />}
    </section>
  )
}

/** A part of a long thread, around the row that is shown. */
function Parts({ thread, level, session, details }: AgentProps): VNode {
  const model = session.model.value
  const { parts, path } = thread
  const at = placeOf(parts, model.cursor.value)
  const [shift, setShift] = useState(0)
  const middle = (at ?? 0) + shift
  const first = parts.length <= window ? 0 : Math.max(0, Math.min(parts.length - window, middle - window / 2))
  const shown = parts.slice(first, first + window)
  const behind = parts.length - first - shown.length
  return (
    <>
      {first > 0 && (
        <button type="button" class="button more" onClick={() => setShift(shift - window / 2)}>
          {plural(first, 'part')} before
        </button>
      )}
      <ol class="thread-parts">
        {shown.map((part) =>
          part.row === undefined ? (
            <li key={part.thread.path}>
              <Agent thread={part.thread} level={level + 1} session={session} details={details} />
            </li>
          ) : (
            <Turn key={part.row.row} row={part.row} session={session} details={details} agent={path} />
          ),
        )}
        <Writing path={path} session={session} model={model} />
      </ol>
      {behind > 0 && (
        <button type="button" class="button more" onClick={() => setShift(shift + window / 2)}>
          {plural(behind, 'part')} behind
        </button>
      )}
    </>
  )
}

interface WritingProps {
  readonly path: string
  readonly session: ShownRun
  readonly model: RunModel
}

/** The message that the agent is writing, at the end of a run that goes on. */
function Writing({ path, session, model }: WritingProps): VNode | null {
  const speech = model.isLive.value ? session.speech.value.get(path) : undefined
  return speech === undefined ? null : <Spoken speech={speech} />
}

/** The position of the last part that begins up to a row; `undefined`: none does. */
function placeOf(parts: readonly ThreadPart[], row: number): number | undefined {
  const at = parts.findLastIndex((part) => firstRow(part) <= row)
  return at === -1 ? undefined : at
}

function firstRow(part: ThreadPart): number {
  if (part.row !== undefined) return part.row.row
  const [first] = part.thread.parts
  return first === undefined ? Infinity : firstRow(first)
}
