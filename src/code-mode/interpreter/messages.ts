/** The messages between the process and the thread of the interpreter. */
import type { EndedLeg, LegOutcome } from '../../kit/host.ts'

export interface SandboxLimits {
  readonly memory: number
  readonly instructions: number
  readonly calls: number
  readonly text: number
}

/** A program that begins. */
export interface Beginning {
  readonly program: string
  /** The names of the tools. */
  readonly names: readonly string[]
  readonly limits: SandboxLimits
}

export interface Order {
  /** The program, among those that the thread holds. */
  readonly key: string
  /** The program begins. */
  readonly begin?: Beginning
  /** The program goes on with the outcomes of this leg. */
  readonly leg?: EndedLeg
  /** Programs that are not needed any more. */
  readonly forget: readonly string[]
}

/** `isBroken`: the memory of the interpreter may be damaged, so the thread must end. */
export interface Report {
  readonly outcome: LegOutcome
  readonly isBroken?: true
}
