/** A readable history of a journal: the events of a run, their actors, their times, and their costs. */
import { requesterOf } from '../../actors/actor-path.ts'
import type { EffectKind } from '../../actors/effects/effect-names.ts'
import type { JsonValue } from '../../actors/values/json.ts'
import type { Usage } from '../../actors/usage.ts'
import type { ErrorData } from '../../errors.ts'
import { entryUsage } from '../journal/entry-usage.ts'
import type { JournalEntry, Signal } from '../journal/journal.ts'
import type { Edit } from '../program/recorded.ts'
import { versionsOf } from '../agents/run-registry.ts'

/** An entry of a journal in readable form. */
export interface HistoryEntry {
  /** Position in the journal, from 0. */
  readonly entry: number
  readonly type: JournalEntry['type']
  /** Logical time. Milliseconds since 1970. */
  readonly at: number
  /** The actor that requested the effect: ids of the actors from the root agent on, joined with "/". */
  readonly path?: string
  /** Of `run.started`: the version of the root agent, and those of the agents below it. */
  readonly version?: string
  readonly versions?: Readonly<Record<string, string | null>>
  /** The key of the effect. */
  readonly key?: string
  readonly kind?: EffectKind
  /** Milliseconds that the effect took. */
  readonly duration?: number
  /** Of a model call. */
  readonly usage?: Usage
  readonly error?: ErrorData
  /** Of a message of a person: its text. */
  readonly message?: string
  /** Of an answer, a message, a cancel and an end by force: its author. */
  readonly by?: string
  /** Of an answer: whether it approves, or goes on with the call. */
  readonly approved?: boolean
  /** Of an answer: its note. */
  readonly note?: string
  /** Of a denial, a cancel, and the end of a run. */
  readonly reason?: string
  /** The arguments that the answer has put in the place of those of the model. */
  readonly args?: JsonValue
  /** The decision holds for the rest of the run. */
  readonly always?: true
  /** The outcome came after the run had let go of the effect. */
  readonly late?: true
  /** Of `program.drifted`: the parts of agents that were edited. */
  readonly edits?: readonly Edit[]
  /** Of `run.restored`: the epoch of the store. Absent: the run was imported. */
  readonly epoch?: number
}

export function historyOf(journal: readonly JournalEntry[]): HistoryEntry[] {
  return journal.map((entry, position) => {
    const common = { entry: position, type: entry.type, at: entry.at }
    switch (entry.type) {
      case 'effect.started':
        return { ...common, ...pathOf(entry.key), kind: entry.kind }
      case 'effect.settled':
        return {
          ...common,
          ...pathOf(entry.key),
          kind: entry.kind,
          duration: entry.at - entry.startedAt,
          ...usageOf(entry),
          ...(entry.settlement.error === undefined ? {} : { error: entry.settlement.error }),
          ...(entry.late === undefined ? {} : { late: entry.late }),
        }
      case 'timer.fired':
        return { ...common, ...pathOf(entry.key), kind: 'timer' }
      case 'signal.received':
        return {
          ...common,
          ...(entry.signal.type === 'answer' ? answerOf(entry.signal) : {}),
          ...(entry.signal.type === 'say' ? sayingOf(entry.signal) : {}),
          ...(entry.signal.type === 'cancel' ? cancelOf(entry.signal) : {}),
          kind: 'signal',
        }
      case 'program.drifted':
        return { ...common, edits: entry.edits }
      case 'run.restored':
        return { ...common, ...(entry.epoch === undefined ? {} : { epoch: entry.epoch }) }
      case 'run.settled':
        return {
          ...common,
          usage: entry.usage,
          ...(entry.forcedBy === undefined ? {} : { by: entry.forcedBy }),
          ...(entry.reason === undefined ? {} : { reason: entry.reason }),
          ...(entry.error === undefined ? {} : { error: entry.error }),
        }
      case 'run.started':
        return { ...common, path: entry.agent, ...versionsOf(entry) }
    }
  })
}

function answerOf({ key, by, note, always, answer }: Extract<Signal, { type: 'answer' }>) {
  const { approved, args, reason } = answer
  return {
    ...pathOf(key),
    approved,
    ...(by === undefined ? {} : { by }),
    ...(reason === undefined ? {} : { reason }),
    ...(note === undefined ? {} : { note }),
    ...(args === undefined ? {} : { args }),
    ...(always === undefined ? {} : { always }),
  }
}

function cancelOf({ reason, delegationId, by }: Extract<Signal, { type: 'cancel' }>) {
  return {
    ...(delegationId === undefined ? {} : { path: delegationId }),
    ...(reason === undefined ? {} : { reason }),
    ...(by === undefined ? {} : { by }),
  }
}

function sayingOf({ message, by }: Extract<Signal, { type: 'say' }>) {
  return { message, ...(by === undefined ? {} : { by }) }
}

function pathOf(key: string): { readonly path: string; readonly key: string } {
  return { path: requesterOf(key), key }
}

function usageOf(entry: JournalEntry): { readonly usage?: Usage } {
  const usage = entryUsage(entry)
  return usage === undefined ? {} : { usage }
}
