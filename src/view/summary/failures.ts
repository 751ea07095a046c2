/** What went wrong in a run: the first failures, and how many there were of each kind. */
import type { ErrorData } from '../../index.ts'
import { Few } from './few.ts'
import type { SummaryFailure } from './summary.ts'
import { lineOf, nameOf } from './texts.ts'

export class Failures {
  readonly list: Few<SummaryFailure>
  /** By kinds and codes, the entries of the last failures: also of those that the list has no room for. */
  readonly byKind = new Map<string, number>()
  readonly byCode = new Map<string, number>()
  readonly counts: Record<SummaryFailure['kind'], number> = {
    tool: 0,
    delegation: 0,
    rejection: 0,
    denial: 0,
    model: 0,
    hook: 0,
    step: 0,
    other: 0,
  }

  constructor(most: number) {
    this.list = new Few(most)
  }

  add(failure: SummaryFailure): void {
    const { last } = this.list
    // The failure of a model call that ended its agent is that of the delegation: told once, with both.
    if (failure.kind === 'delegation' && last?.kind === 'model' && last.entry === failure.entry) {
      if (last.path.startsWith(`${failure.path}/`) && last.reason === failure.reason) {
        this.list.dropLast()
        this.counts.model--
      }
    }
    this.counts[failure.kind]++
    this.list.add(failure)
    this.byKind.set(failure.kind, failure.entry)
    if (failure.code !== undefined) this.byCode.set(failure.code, failure.entry)
  }
}

export function reasonOf({ code, message }: ErrorData): { readonly reason: string; readonly code: string } {
  return { reason: lineOf(message), code: nameOf(code) }
}
