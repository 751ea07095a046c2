/**
 * The unfinished runs that began with another protocol of the charts, as far as this troupe has come upon them: only a
 * worker of their release can continue them. The protocol of a run never changes, so its journal is read once.
 */
import { JournalMismatchError } from '../../errors.ts'

/** The protocol that a run began with, from the error of an attempt to continue it; `undefined`: another error. */
export function otherProtocolIn(error: unknown): number | undefined {
  if (!(error instanceof JournalMismatchError) || error.mismatch.field !== 'protocol') return undefined
  const { recorded } = error.mismatch
  return typeof recorded === 'number' ? recorded : undefined
}

export class OtherProtocols {
  readonly #protocols = new Map<string, number>()

  /** The protocol of a run that is known to be of another one. */
  of(runId: string): number | undefined {
    return this.#protocols.get(runId)
  }

  /** Notes the run when the error says that it is of another protocol. */
  note(runId: string, error: unknown): 'new' | 'known' | undefined {
    const protocol = otherProtocolIn(error)
    if (protocol === undefined) return undefined
    const isKnown = this.#protocols.has(runId)
    this.#protocols.set(runId, protocol)
    return isKnown ? 'known' : 'new'
  }

  /** Forgets the runs that are not among these. */
  retain(unfinished: ReadonlySet<string>): void {
    for (const runId of this.#protocols.keys()) if (!unfinished.has(runId)) this.#protocols.delete(runId)
  }
}
