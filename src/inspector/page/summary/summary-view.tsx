/** The summary of a run: how it ended, its answer, what went wrong and what was changed, and who spent what. */
import type { ComponentChildren, VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type {
  Sentence,
  Summary,
  SummaryChange,
  SummaryFailure,
  SummaryQuestion,
} from '../../../view/summary/summary.ts'
import type { RunSession } from '../connection/run-session.ts'
import { Failed } from '../shared/failed.tsx'
import { costText, countText, durationText, plural, sinceText } from '../shared/format.ts'
import { Link } from '../shared/link.tsx'
import { usePage } from '../shared/page-context.ts'
import { useLoaded } from '../shared/use-loaded.ts'
import { useNow } from '../shared/use-now.ts'

/** Milliseconds between two summaries of a run that goes on. */
const rhythm = 1_000

export function SummaryView({ session }: { readonly session: RunSession }): VNode {
  const { api } = usePage()
  const { runId } = session
  const isOpening = session.feed.value.state === 'opening'
  const length = session.model.value.length.value
  const asked = useRested(length)
  const status = session.run.value?.status ?? ''
  const key = isOpening || length === 0 ? undefined : `${status} ${status === 'settled' ? length : asked}`
  const loaded = useLoaded(key, (signal) => api.summary(runId, signal))
  if (loaded.state === 'failed')
    return <Failed subject="The summary" error={loaded.error} retry={loaded.retry} />
  if (loaded.value === undefined) {
    return (
      <p class="empty" role="status">
        {length === 0
          ? 'The run is being read …'
          : `${plural(length, 'entry')} so far; more are on the way …`}
      </p>
    )
  }
  return <Sheet summary={loaded.value} />
}

/** The number, at most once in a while: a run that goes on is not summarised at each of its entries. */
function useRested(value: number): number {
  const [rested, setRested] = useState(value)
  useEffect(() => {
    if (rested === value) return undefined
    const timer = setTimeout(() => setRested(value), rhythm)
    return () => clearTimeout(timer)
  }, [value, rested])
  return rested
}

function Sheet({ summary }: { readonly summary: Summary }): VNode {
  const { runId, ending, outcome, notes, task, answer, failures, changes, choices } = summary
  const { scorings, questions, underWay, more, missing } = summary
  const isBad = outcome !== undefined && outcome !== 'completed' && outcome !== 'bailed'
  return (
    <article class="summary" aria-label="Summary">
      <Part title="Task">
        <p class="said summary-text" dir="auto">
          {task}
        </p>
      </Part>
      <Part title={outcome === undefined ? 'Now' : 'End'}>
        <p class={isBad ? 'summary-ending bad' : 'summary-ending'}>
          <Words runId={runId} sentence={ending} />
        </p>
        {notes.map((note, index) => (
          <p key={index} class="muted">
            <Words runId={runId} sentence={note} />
          </p>
        ))}
      </Part>
      {answer !== undefined && (
        <Part title="Answer">
          <p class="said summary-text" dir="auto">
            {answer}
          </p>
        </Part>
      )}
      <Items title="What went wrong" items={failures} more={more['failures']}>
        {(failure) => <Failure runId={runId} failure={failure} />}
      </Items>
      <Items title="What hooks and people changed" items={changes} more={more['changes']}>
        {(change) => <Change runId={runId} change={change} />}
      </Items>
      <Items title="Choices" items={choices} more={more['choices']}>
        {({ entry, path, agent, choice, candidates, reason }) => (
          <>
            <Entry runId={runId} entry={entry} path={path} />{' '}
            <span class="said">
              {agent} chose <b>{choice}</b> of {candidates.join(', ')}
            </span>
            <Line word="because">{reason}</Line>
          </>
        )}
      </Items>
      <Items title="Scores" items={scorings} more={more['scorings']}>
        {({ entry, path, agent, outcome: result, scores }) => (
          <>
            <Entry runId={runId} entry={entry} path={path} />{' '}
            <span class="said">
              {agent}: {result}: {scores}
            </span>
          </>
        )}
      </Items>
      <Items title="Questions" items={questions} more={more['questions']}>
        {(question) => <Question runId={runId} question={question} />}
      </Items>
      <Items title="Under way" items={underWay} more={more['underWay']}>
        {({ entry, path, agent, kind, since }) => (
          <>
            <Entry runId={runId} entry={entry} path={path} />{' '}
            <span class="said">
              {agent}: {kind}
            </span>{' '}
            <Since at={since} />
          </>
        )}
      </Items>
      <Agents summary={summary} />
      <Delegations summary={summary} />
      {missing.map((text, index) => (
        <p key={index} class="muted">
          {text}
        </p>
      ))}
    </article>
  )
}

function Part({ title, children }: { readonly title: string; readonly children: ComponentChildren }): VNode {
  return (
    <section class="summary-part">
      <h2>{title}</h2>
      {children}
    </section>
  )
}

interface ItemsProps<Item> {
  readonly title: string
  readonly items: readonly Item[]
  /** How many others there are. */
  readonly more: number | undefined
  readonly children: (item: Item) => ComponentChildren
}

function Items<Item>({ title, items, more = 0, children }: ItemsProps<Item>): VNode | null {
  return items.length === 0 ? null : (
    <Part title={title}>
      <ul class="summary-items">
        {items.map((item, index) => (
          <li key={index}>{children(item)}</li>
        ))}
      </ul>
      {more > 0 && <p class="muted">… and {countText(more)} more</p>}
    </Part>
  )
}

interface OfRun {
  readonly runId: string
}

/** The entry, as a link to its details. */
function Entry({ runId, entry, path }: OfRun & { readonly entry: number; readonly path?: string }): VNode {
  const place = { view: 'run', runId, row: entry - 1, tab: 'entry' } as const
  return (
    <Link class="summary-entry" to={path === undefined ? place : { ...place, path }}>
      entry {countText(entry)}
    </Link>
  )
}

function Words({ runId, sentence }: OfRun & { readonly sentence: Sentence }): VNode {
  return (
    <span class="said">
      {sentence.map((phrase, index) =>
        typeof phrase === 'string' ? phrase : <Entry key={index} runId={runId} entry={phrase.entry} />,
      )}
    </span>
  )
}

/** A word, and a text of the run behind it. */
function Line({ word, children }: { readonly word: string; readonly children: ComponentChildren }): VNode {
  return (
    <div class="summary-line">
      <span class="muted">{word}</span>{' '}
      <span class="said" dir="auto">
        {children}
      </span>
    </div>
  )
}

const failed: Readonly<Record<SummaryFailure['kind'], readonly [before: string, after: string]>> = {
  tool: ['the tool ', ' failed'],
  delegation: ['the delegation to ', ' failed'],
  rejection: ['the delegation to ', ' was rejected'],
  denial: ['the call of ', ' was denied'],
  model: ['the ', ' call failed'],
  hook: ['', ' refused or failed'],
  step: ['the step ', ' failed'],
  other: ['', ''],
}

function Failure({ runId, failure }: OfRun & { readonly failure: SummaryFailure }): VNode {
  const { entry, path, agent, kind, subject, reason, code } = failure
  const [before, after] = failed[kind]
  return (
    <>
      <Entry runId={runId} entry={entry} path={path} />{' '}
      <span class="said">
        {agent}: {before}
        <b>{subject}</b>
        {after}: {reason}
      </span>{' '}
      {code !== undefined && <code class="muted">{code}</code>}
    </>
  )
}

function Change({ runId, change }: OfRun & { readonly change: SummaryChange }): VNode {
  const { entry, path, agent, hook, what, before, after } = change
  return (
    <>
      <Entry runId={runId} entry={entry} path={path} />{' '}
      <span class="said">
        {agent}, {hook === 'answer' ? 'a person' : hook}: {what}
      </span>
      {before !== undefined && <Line word="before">{before}</Line>}
      <Line word="after">{after}</Line>
    </>
  )
}

function Question({ runId, question }: OfRun & { readonly question: SummaryQuestion }): VNode {
  const { askedAt, since, path, agent, subject, type, answer } = question
  return (
    <>
      <Entry runId={runId} entry={askedAt ?? answer?.entry ?? 1} path={path} />{' '}
      <span class="said">
        {agent} asked for {type === 'approval' ? 'approval of' : 'an answer to'} <b>{subject}</b>
      </span>
      {answer === undefined ? (
        <Line word="answer">open {since !== undefined && <Since at={since} />}</Line>
      ) : (
        <Line word={answer.approved ? (type === 'approval' ? 'approved' : 'answered') : 'denied'}>
          <Entry runId={runId} entry={answer.entry} path={path} />
          {answer.by === undefined ? ', nobody is named' : ` by ${answer.by}`}
          {[answer.reason, answer.note].filter((text) => text !== undefined).map((text) => `: ${text}`)}
        </Line>
      )}
      {answer?.changed !== undefined && <Line word="arguments">{answer.changed.after}</Line>}
    </>
  )
}

/** Counts on. */
function Since({ at }: { readonly at: number }): VNode {
  return <span class="muted number">{sinceText(at, useNow(true))}</span>
}

interface TableProps {
  readonly title: string
  /** Those of numbers begin with `#`. */
  readonly head: readonly string[]
  readonly children: ComponentChildren
}

function Table({ title, head, children }: TableProps): VNode {
  return (
    <Part title={title}>
      <div class="summary-table" role="region" aria-label={title} tabIndex={0}>
        <table>
          <thead>
            <tr>
              {head.map((name) => (
                <th key={name} scope="col" class={name.startsWith('#') ? 'number' : undefined}>
                  {name.replace('#', '')}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>{children}</tbody>
        </table>
      </div>
    </Part>
  )
}

function Agents({ summary }: { readonly summary: Summary }): VNode | null {
  const { agents, total, currency = '' } = summary
  if (agents.length === 0) return null
  const rows = [...agents, { agent: 'total', share: undefined, model: undefined, ...total }]
  const head = ['agent', '#calls', '#tools', '#in', '#out', `#cost ${currency}`, '#time', '#share', 'model']
  return (
    <Table title="Agents" head={head}>
      {rows.map(({ agent, calls, toolCalls, usage, time, share, model }) => (
        <tr key={share === undefined ? '' : agent} class={share === undefined ? 'summary-total' : undefined}>
          <th scope="row" class="said">
            {agent}
          </th>
          <td class="number">{countText(calls)}</td>
          <td class="number">{countText(toolCalls)}</td>
          <td class="number">{countText(usage.inputTokens)}</td>
          <td class="number">{countText(usage.outputTokens)}</td>
          <td class="number">{usage.cost === undefined ? '–' : costText(usage.cost)}</td>
          <td class="number">{durationText(time)}</td>
          <td class="number">{share === undefined ? '' : `${Math.round(share * 100)} %`}</td>
          <td class="said">{model}</td>
        </tr>
      ))}
    </Table>
  )
}

function Delegations({ summary }: { readonly summary: Summary }): VNode | null {
  const { runId, delegations, currency = '', more } = summary
  if (delegations.length === 0) return null
  const head = [
    '#entry',
    'from',
    'to',
    'outcome',
    '#time',
    '#calls',
    '#tokens',
    `#cost ${currency}`,
    'prompt or reason',
  ]
  return (
    <Table title="Delegations" head={head}>
      {delegations.map(({ entry, path, from, to, outcome, duration, calls, usage, prompt, reason }) => (
        <tr key={path}>
          <td class="number">
            <Entry runId={runId} entry={entry} path={path} />
          </td>
          <td class="said">{from}</td>
          <td class="said">{to}</td>
          <td>{outcome ?? 'under way'}</td>
          <td class="number">{duration === undefined ? '–' : durationText(duration)}</td>
          <td class="number">{countText(calls)}</td>
          <td class="number">{countText(usage.totalTokens)}</td>
          <td class="number">{usage.cost === undefined ? '–' : costText(usage.cost)}</td>
          <td class="said summary-words" dir="auto">
            {reason ?? prompt}
          </td>
        </tr>
      ))}
      {more['delegations'] !== undefined && (
        <tr>
          <td colSpan={head.length} class="muted">
            … and {countText(more['delegations'])} more
          </td>
        </tr>
      )}
    </Table>
  )
}
