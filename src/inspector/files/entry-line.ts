/** A journal entry as one line: the task, the answer, the first words of a reply, the outcome. */
import { effectOf, lastId, placeOf } from '../../actors/actor-path.ts'
import type { JournalEntry, Signal } from '../../runtime/journal/journal.ts'
import { lineOf, oneLine } from './one-line.ts'

type Settled = Extract<JournalEntry, { readonly type: 'effect.settled' }>

/** `name`: of the tool of a call, where it is known. */
export function entryLine(entry: JournalEntry, name?: string): string {
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
