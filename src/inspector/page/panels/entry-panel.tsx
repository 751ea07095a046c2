/** The row that is shown: its facts, what it led to, and its content. */
import type { VNode } from 'preact'
import type { JournalEntry } from '../../../runtime/journal/journal.ts'
import type { Row } from '../../wire/rows.ts'
import { openDialog } from '../actions/open-dialog.ts'
import type { RunModel } from '../model/run-model.ts'
import { Button } from '../shared/button.tsx'
import { Failed } from '../shared/failed.tsx'
import { durationText, timeText, usageText } from '../shared/format.ts'
import { Json } from '../shared/json.tsx'
import { refusalOf, usePage } from '../shared/page-context.ts'
import { useLoaded } from '../shared/use-loaded.ts'
import { ActorName } from './actor-name.tsx'
import { LedTo } from './led-to.tsx'
import type { RunSession } from '../connection/run-session.ts'

export function EntryPanel({ session }: { readonly session: RunSession }): VNode {
  const model = session.model.value
  const row = model.rows[model.cursor.value]
  const { api } = usePage()
  const detail = useLoaded(
    row === undefined || session.isPassing.value ? undefined : `${row.journal} ${row.entry}`,
    (signal) => api.row(session.runId, row?.row ?? 0, signal),
  )
  if (row === undefined) return <NoRow isOpening={session.feed.value.state === 'opening'} />
  const entry = detail.value?.entry
  return (
    <>
      <h2 class="entry-title">
        <span class={`kind kind-${row.kind ?? 'other'}`}>{row.kind ?? row.type}</span>
        <span class="said" dir="auto">
          {row.line}
        </span>
      </h2>
      <Facts row={row} start={model.rows[0]?.at ?? row.at} model={model} />
      <ForkButtons row={row} runId={session.runId} />
      <LedTo row={row} model={model} isUntold={session.untold.value !== undefined} />
      {detail.state === 'failed' ? (
        <Failed subject="The content of the entry" error={detail.error} retry={detail.retry} />
      ) : (
        <section aria-busy={detail.state === 'loading'}>
          {detail.value?.isCut === true && <p class="muted">Long texts and lists are cut.</p>}
          {entry !== undefined &&
            contentOf(entry).map(([name, value]) => <Content key={name} name={name} value={value} />)}
        </section>
      )}
    </>
  )
}

function NoRow({ isOpening }: { readonly isOpening: boolean }): VNode {
  return isOpening ? (
    <p class="empty">Loading the entries …</p>
  ) : (
    <div class="empty">
      <h2>The run has no entry</h2>
      <p>It has been created and not started yet.</p>
    </div>
  )
}

function Facts({ row, start, model }: { readonly row: Row; readonly start: number } & ModelProps): VNode {
  const facts: readonly (readonly [string, VNode | string])[] = [
    ['Actor', <ActorName key="actor" path={row.path ?? row.journal} model={model} />],
    ['Time', `${timeText(row.at)} · ${durationText(row.at - start)} after the start`],
    ...(row.duration === undefined ? [] : [['Took', durationText(row.duration)] as const]),
    ...(row.usage === undefined ? [] : [['Tokens', usageText(row.usage)] as const]),
    ...(row.error === undefined ? [] : [['Error', row.error] as const]),
    ...(row.late === true ? [['Late', 'The run had let go of the effect before.'] as const] : []),
  ]
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd class={name === 'Error' ? 'said fault' : 'said'}>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

interface ModelProps {
  readonly model: RunModel
}

function ForkButtons({ row, runId }: { readonly row: Row; readonly runId: string }): VNode {
  const { service } = usePage()
  const refusal = refusalOf(service, 'fork')
  const fork = (withPatch: boolean) => {
    openDialog.value = { type: 'fork', runId, row, withPatch }
  }
  return (
    <div class="entry-actions">
      <Button refusal={refusal} shortcut="f" onClick={() => fork(false)}>
        Fork here …
      </Button>
      {row.type === 'effect.settled' && (
        <Button refusal={refusal} onClick={() => fork(true)}>
          Replace the outcome …
        </Button>
      )}
    </div>
  )
}

function Content({ name, value }: { readonly name: string; readonly value: unknown }): VNode {
  return (
    <section class="block">
      <h3>{name}</h3>
      <Json value={value} />
    </section>
  )
}

/** The parts of an entry that the facts do not have. */
function contentOf(entry: JournalEntry): readonly (readonly [string, unknown])[] {
  switch (entry.type) {
    case 'effect.settled': {
      const { value, error } = entry.settlement
      return error === undefined ? [['Outcome', value]] : [['Error', error]]
    }
    case 'signal.received':
      return [['Signal', entry.signal]]
    case 'run.started': {
      const { task, settings, history, ...rest } = entry
      return [
        ['Task', task],
        ...(history.length === 0 ? [] : [['History', history] as const]),
        ['Settings', settings],
        ['Start', rest],
      ]
    }
    case 'effect.started':
    case 'timer.fired':
    case 'program.drifted':
    case 'run.settled':
      return [['Entry', entry]]
  }
}
