/**
 * The files that a run refers to: those of its prompt and of messages, and those that its tools and models have made. A
 * reference that stands anywhere else in a journal is data, which a client may have written: it names no file of the run.
 */
import type { FilePart, FileRef, JournalEntry, JournalParts } from '../../index.ts'
import { filesOf } from '../../kit/index.ts'
import type { EffectOutcome, EffectSettled } from '../../kit/host.ts'

/** The file of this reference; `undefined`: the run does not refer to it. */
export function fileOf(journal: readonly JournalEntry[] | JournalParts, ref: string): FileRef | undefined {
  const entries = 'parts' in journal ? journal.parts.flatMap(({ turns }) => turns.flat()) : journal
  for (const entry of entries) {
    for (const file of filesIn(entry)) if ('ref' in file && file.ref === ref) return file
  }
  return undefined
}

function filesIn(entry: JournalEntry): readonly FilePart[] {
  switch (entry.type) {
    case 'run.started': {
      const { content = [], history } = entry
      return [...filesOf(content), ...history.flatMap((message) => filesOf(message.content))]
    }
    case 'signal.received':
      return entry.signal.type === 'say' ? filesOf(entry.signal.content ?? []) : []
    case 'effect.settled':
      return filesMade(entry)
    case 'run.settled':
      return entry.files ?? []
    default:
      return []
  }
}

function filesMade({ kind, settlement: { value } }: EffectSettled): readonly FilePart[] {
  if (value === undefined || value === null) return []
  switch (kind) {
    case 'tool': {
      const outcome = value as EffectOutcome<'tool'>
      return outcome.type === 'returned' ? (outcome.files ?? []) : []
    }
    case 'model':
      return (value as EffectOutcome<'model'>).files ?? []
    case 'memory': {
      const recalled = value as EffectOutcome<'memory'>
      if (recalled === null || !('messages' in recalled)) return []
      return recalled.messages.flatMap(({ content }) => filesOf(content))
    }
    default:
      return []
  }
}
