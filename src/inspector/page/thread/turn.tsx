/** One part of a thread: the task, a reply of a model with what it was offered, the result of a tool, or the words of a person. */
import type { JournalEntry, JsonValue } from '../../../index.ts'
import type { VNode } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { Row } from '../../wire/rows.ts'
import type { RowDetail } from '../../wire/routes.ts'
import { messageOf } from '../connection/failure.ts'
import type { ShownRun } from '../connection/run-session.ts'
import { Calls, Content, Reasoning } from '../panels/message.tsx'
import { countText, durationText, lastOf, plural, usageText } from '../shared/format.ts'
import { Json } from '../shared/json.tsx'
import { scrollWithin } from '../shared/scroll-within.ts'
import { Said, Words } from '../shared/words.tsx'
import type { Details } from './details.ts'

interface TurnProps {
  readonly row: Row
  readonly session: ShownRun
  readonly details: Details
  /** The path of the agent whose thread it is in. */
  readonly agent: string
}

export function Turn({ row, session, details, agent }: TurnProps): VNode {
  const model = session.model.value
  const isShown = model.cursor.value === row.row
  const isChosen = isShown && !model.isLive.value
  const element = useRef<HTMLLIElement>(null)
  useEffect(() => {
    if (isChosen) scrollWithin(element.current)
  }, [isChosen])
  const { detail, error } = details.at(row.row, model.length.value)
  const { kind, type, duration, usage } = row
  return (
    <li
      ref={element}
      class={`turn turn-${kind ?? 'other'}${row.error === undefined ? '' : ' failed'}`}
      aria-current={isShown ? 'true' : undefined}
    >
      <div class="turn-head">
        <span class={`kind kind-${kind ?? 'other'}`}>{titles[type] ?? kind ?? type}</span>
        {kind === 'tool' && (
          <b class="said">
            <Said text={/^[^:\s]+/.exec(row.line)?.[0] ?? ''} />
          </b>
        )}
        {row.scripted === true && <span class="badge">scripted</span>}
        {row.late === true && <span class="badge warn">late</span>}
        <span class="muted turn-facts">
          {[duration === undefined ? '' : durationText(duration), usage === undefined ? '' : usageText(usage)]
            .filter((text) => text !== '')
            .join(' · ')}
        </span>
        <button
          type="button"
          class="turn-entry"
          title="Choose this entry"
          onClick={() => {
            model.moveTo(row.row)
            model.choose(row.path === undefined || model.actors.at(row.path) === undefined ? agent : row.path)
          }}
        >
          entry {countText(row.row + 1)}
        </button>
      </div>
      {error !== undefined && detail === undefined && (
        <p class="fault said">Not loaded: {messageOf(error)}</p>
      )}
      {detail === undefined || detail === null ? (
        <p class={detail === null ? 'muted' : 'said'} dir="auto">
          {detail === null ? 'This part is withheld.' : <Said text={row.line} />}
        </p>
      ) : (
        <Detail detail={detail} row={row} model={modelOf(details.at(0, model.length.value).detail, agent)} />
      )}
    </li>
  )
}

const titles: Readonly<Partial<Record<JournalEntry['type'], string>>> = {
  'run.started': 'task',
  'run.settled': 'end',
  'signal.received': 'person',
}

interface DetailProps {
  readonly detail: RowDetail
  readonly row: Row
  /** Provider and model id, where the beginning of the run names it. */
  readonly model: string | undefined
}

/** `detail`: of the beginning of the run. `agent`: a path. */
function modelOf(detail: RowDetail | null | undefined, agent: string): string | undefined {
  return detail?.entry.type === 'run.started' ? detail.entry.agents?.[lastOf(agent)]?.model : undefined
}

function Detail({ detail, row, model }: DetailProps): VNode {
  const { entry, asked } = detail
  switch (entry.type) {
    case 'run.started':
      return <Words text={entry.task} most={4000} />
    case 'effect.settled': {
      const { error, value } = entry.settlement
      if (error !== undefined)
        return (
          <>
            {asked !== undefined && <Offer asked={asked} model={model} />}
            <p class="fault">
              <Words text={`${error.message} (${error.code})`} />
            </p>
          </>
        )
      if (entry.kind === 'model') return <Reply value={value} asked={asked} model={model} />
      return <Outcome value={value} />
    }
    default:
      return <Words text={row.line} />
  }
}

/** The reply of a model: the journal may be of another release. */
interface ReplyProps extends Pick<DetailProps, 'model'> {
  readonly value: unknown
  readonly asked: JsonValue | undefined
}

function Reply({ value, asked, model }: ReplyProps): VNode {
  const { text, reasoning, toolCalls } = (value ?? {}) as Readonly<Record<string, unknown>>
  return (
    <>
      {asked !== undefined && <Offer asked={asked} model={model} />}
      {typeof reasoning === 'string' && reasoning !== '' && <Reasoning text={reasoning} />}
      {typeof text === 'string' && text !== '' && <Content content={text} />}
      {Array.isArray(toolCalls) && <Calls calls={toolCalls} />}
    </>
  )
}

/** The tools on offer and the parameters of a call, on top of its reply. */
function Offer({ asked, model }: Pick<DetailProps, 'model'> & { readonly asked: JsonValue }): VNode {
  const { tools, ...parameters } = (asked ?? {}) as Readonly<Record<string, JsonValue>>
  const names = Array.isArray(tools) ? tools.map(String) : []
  const more = typeof parameters['moreTools'] === 'number' ? parameters['moreTools'] : 0
  return (
    <details class="offer">
      <summary>
        <span class="said">{model ?? 'model'}</span>,{' '}
        {names.length === 0 ? 'no tools' : `${plural(names.length + more, 'tool')} on offer`}
      </summary>
      {names.length > 0 && <p class="said mono">{names.join(', ')}</p>}
      <Json value={parameters} open={1} />
    </details>
  )
}

/** Of a tool the value that it has returned, and of another effect its outcome. */
function Outcome({ value }: { readonly value: unknown }): VNode {
  const isReturned = typeof value === 'object' && value !== null && Reflect.get(value, 'type') === 'returned'
  const shown: unknown = isReturned ? Reflect.get(value, 'value') : value
  return typeof shown === 'string' ? <Words text={shown} /> : <Json value={shown} open={1} />
}
