/** Makes the rows of a run from the entries of its trail, in their order. */
import type { HistoryEntry, JournalEntry, RunEvent, TrailEntry, TrailTransition, Usage } from '../../index.ts'
import { effectOf, lastId, requesterOf, placeOf } from '../../kit/index.ts'
import { type Signal, historyOf } from '../../kit/host.ts'
import type { Row, RowEvent, RowTransition } from '../wire/rows.ts'
import { eventFacts } from './event-facts.ts'
import { lineOf, oneLine } from './one-line.ts'

export class RowMaker {
  /** By the paths of calls, the names of their tools. */
  readonly #names = new Map<string, string>()

  /** Of a fork: by the number of entries before it, the time that nobody worked on the run. */
  readonly #gaps = new Map<number, number>()

  row(entry: TrailEntry, row: number): Row {
    const { recorded } = entry
    if (recorded.type === 'run.started' && row === 0)
      for (const { at, span } of recorded.uncounted ?? []) this.#gaps.set(at, span)
    const gap = this.#gaps.get(row)
    for (const event of entry.events) this.#note(event)
    const [read] = historyOf([recorded])
    return {
      row,
      journal: entry.journal,
      entry: entry.entry,
      type: entry.type,
      at: entry.at,
      ...(entry.key === undefined ? {} : { key: entry.key }),
      ...(read === undefined ? {} : factsOf(read)),
      ...(gap === undefined ? {} : { gap }),
      line: entryLine(recorded, this.#nameOf(entry.key)),
      transitions: entry.transitions.map(transitionOf),
      events: entry.events.map(eventOf),
      actorsAdded: entry.actorsAdded,
      actorsEnded: entry.actorsEnded,
    }
  }

  #note({ type, path, payload }: RunEvent): void {
    if (type === 'tool-call' || type === 'tool-call-approval') this.#names.set(path, payload.toolName)
  }

  #nameOf(key: string | undefined): string | undefined {
    return key === undefined ? undefined : this.#names.get(requesterOf(key))
  }
}

// A journal entry as one line: the task, the answer, the first words of a reply, the outcome.

type Settled = Extract<JournalEntry, { readonly type: 'effect.settled' }>

/** `name`: of the tool of a call, where it is known. */
function entryLine(entry: JournalEntry, name?: string): string {
  switch (entry.type) {
    case 'run.started':
      return oneLine(entry.task)
    case 'effect.started':
      return `${name ?? entry.kind} started`
    case 'effect.settled':
      return oneLine(settledLine(entry, name))
    case 'timer.fired':
      return oneLine(lastId(effectOf(entry.key)))
    case 'signal.received':
      return oneLine(signalLine(entry.signal, name))
    case 'program.drifted':
      return oneLine(`edited: ${entry.edits.map(({ agent, part }) => `${part} of ${agent}`).join(', ')}`)
    case 'run.restored':
      return entry.epoch === undefined ? 'imported from another store' : `restored, epoch ${entry.epoch}`
    case 'run.settled':
      return oneLine(`${entry.outcome}: ${entry.error?.message ?? entry.text}`)
  }
}

function settledLine({ kind, key, settlement }: Settled, name: string | undefined): string {
  if (settlement.error !== undefined) return settlement.error.message
  const { value } = settlement
  switch (kind) {
    case 'model':
      return replyLine(value)
    case 'tool':
      return toolLine(value, name ?? 'tool')
    case 'hook':
      return `${placeOf(lastId(effectOf(key)))}: ${lineOf(value)}`
    case 'scorer':
      return fieldsOf(value, 'score', 'reason')
    case 'agent':
      return fieldsOf(value, 'outcome', 'text')
    case 'remote':
      return fieldsOf(value, 'type', 'text')
    case 'compaction':
      return fieldsOf(value, 'text')
    case 'memory':
    case 'config':
    case 'custom':
    case 'signal':
    case 'timer':
      return lineOf(value)
  }
}

function replyLine(value: unknown): string {
  const { text, toolCalls } = (value ?? {}) as { readonly text?: unknown; readonly toolCalls?: unknown }
  const calls = Array.isArray(toolCalls) ? toolCalls.map((call) => fieldsOf(call, 'name', 'args')) : []
  return [lineOf(text), ...calls.map((call) => `→ ${call}`)].filter((part) => part !== '').join(' ')
}

function toolLine(value: unknown, name: string): string {
  const type = fieldsOf(value, 'type')
  if (type === 'returned') return `${name}: ${fieldsOf(value, 'value')}`
  return `${name} ${type} ${fieldsOf(value, 'payload')}`
}

function signalLine(signal: Signal, name: string | undefined): string {
  switch (signal.type) {
    case 'cancel':
      return `cancel ${signal.delegationId ?? ''} ${signal.reason ?? ''}`
    case 'say':
      return signal.message
    case 'trace':
      return signal.traceparent
    case 'held':
      return `held: ${signal.awaiting.map(({ toolName }) => toolName).join(', ')}`
    case 'spent':
      return signal.error.message
    case 'released':
      return 'released'
    case 'answer': {
      const { approved, reason, data } = signal.answer
      const by = signal.by === undefined ? '' : `by ${signal.by}`
      return `${name ?? ''} ${approved ? 'approved' : 'denied'} ${by} ${reason ?? lineOf(data)}`
    }
  }
}

/** These fields of an object, those that it has; a journal may be of another release. */
function fieldsOf(value: unknown, ...names: readonly string[]): string {
  if (value === null || typeof value !== 'object') return lineOf(value)
  return names
    .map((name) => lineOf(Reflect.get(value, name)))
    .filter((part) => part !== '')
    .join(' ')
}

/** An event as one line: the words in it that tell it from others of its type. */
function eventLine(event: RunEvent): string {
  return oneLine(wordsOf(event))
}

function wordsOf(event: RunEvent): string {
  switch (event.type) {
    case 'run-start':
      return event.payload.task
    case 'run-finish':
      return joined(event.payload.outcome, event.payload.error?.message ?? event.payload.text)
    case 'text-delta':
    case 'reasoning-delta':
    case 'text-end':
    case 'reasoning-end':
    case 'tool-call-delta':
      return event.payload.text
    case 'step-start':
      return `step ${event.payload.step}`
    case 'step-finish':
      return joined(`step ${event.payload.step}`, event.payload.finishReason)
    case 'tool-call':
    case 'tool-call-approval':
      return joined(event.payload.toolName, lineOf(event.payload.args))
    case 'tool-result':
      return joined(event.payload.toolName, lineOf(event.payload.result))
    case 'tool-error':
      return joined(event.payload.toolName, event.payload.outcome, event.payload.error?.message)
    case 'recalled':
      return event.payload.passages.map(({ id }) => id).join(', ')
    case 'partial-answer':
      return lineOf(event.payload.text)
    case 'context-edited':
      return `${event.payload.cleared} messages, ${event.payload.freed} tokens less`
    case 'tools-found':
      return joined(event.payload.toolName, event.payload.found.join(', '))
    case 'tool-state':
      return `${event.payload.previousState} → ${event.payload.state}`
    case 'tool-call-suspended':
      return joined(event.payload.toolName, lineOf(event.payload.suspendPayload))
    case 'tool-progress':
      return joined(event.payload.toolName, lineOf(event.payload.value))
    case 'tool-call-answered':
      return answered(event)
    case 'said':
      return event.payload.message
    case 'say-refused':
      return event.payload.code
    case 'delegation-start':
      return joined(event.payload.agentName, event.payload.prompt)
    case 'delegation-end':
      return joined(
        event.payload.agentName,
        event.payload.subagentOutcome,
        event.payload.outcome,
        event.payload.error?.message ?? event.payload.text,
      )
    case 'delegation-feedback':
      return joined(event.payload.agentName, event.payload.message)
    case 'delegation-rejected':
      return joined(event.payload.agentName, event.payload.reason)
    case 'delegation-bail':
      return event.payload.agentName
    case 'iteration-start':
    case 'iteration-end':
      return `iteration ${event.payload.iteration}`
    case 'iteration-feedback':
      return event.payload.message
    case 'scoring-start':
      return event.payload.scorerIds.join(', ')
    case 'scoring-complete':
      return event.payload.outcome
    case 'critique':
      return event.payload.critique
    case 'routing-decision':
      return joined(event.payload.primitiveId, event.payload.selectionReason)
    case 'plan-step-start':
      return joined(event.payload.stepId, event.payload.goal)
    case 'plan-step-end':
      return joined(event.payload.stepId, event.payload.status)
    case 'abort':
      return event.payload.reason
    case 'error':
      return event.payload.error.message
    case 'model-fallback':
      return joined(`${event.payload.from} → ${event.payload.to}`, event.payload.error.message)
    case 'suspended':
      return event.payload.awaiting.map(({ toolName }) => toolName).join(', ')
    case 'heard':
    case 'resumed':
    case 'text-start':
    case 'reasoning-start':
      return ''
    case 'handoff':
    case 'scorer-result':
    case 'pattern-selected':
    case 'plan-created':
    case 'plan-revised':
    case 'fan-out':
    case 'fan-in':
    case 'synthesis-start':
    case 'background-start':
    case 'background-end':
    case 'compaction-start':
    case 'compaction-end':
    case 'drift':
    case 'restored':
    case 'budget-warning':
      return lineOf(event.payload)
  }
}

function answered({ payload }: Extract<RunEvent, { type: 'tool-call-answered' }>): string {
  const decision = payload.type === 'approval' ? (payload.approved ? 'approved' : 'denied') : 'answered'
  const by = payload.by === undefined ? undefined : `by ${payload.by}`
  return joined(payload.toolName, decision, by, payload.reason ?? lineOf(payload.data))
}

/** The words that there are, with spaces between. */
function joined(...words: readonly (string | undefined)[]): string {
  return words.filter((word) => word !== undefined && word !== '').join(' ')
}

function factsOf({ path, kind, duration, usage, error, late }: HistoryEntry): Partial<Row> {
  const facts: { path?: string; kind?: NonNullable<Row['kind']>; duration?: number; usage?: Usage } & {
    error?: string
    late?: true
  } = {}
  if (path !== undefined) facts.path = path
  if (kind !== undefined) facts.kind = kind
  if (duration !== undefined) facts.duration = duration
  if (usage !== undefined) facts.usage = usage
  if (error !== undefined) facts.error = error.code
  if (late !== undefined) facts.late = late
  return facts
}

function transitionOf({ description: _, ...transition }: TrailTransition): RowTransition {
  return transition
}

function eventOf(event: RunEvent): RowEvent {
  const { type, seq, agent, path, delegationId } = event
  const toolCallId = 'toolCallId' in event.payload ? event.payload.toolCallId : undefined
  return {
    type,
    ...(seq === undefined ? {} : { seq }),
    agent,
    path,
    ...(delegationId === undefined ? {} : { delegationId }),
    ...(toolCallId === undefined ? {} : { toolCallId }),
    line: eventLine(event),
    ...eventFacts(event),
  }
}
