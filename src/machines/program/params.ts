/** The parameters of the guards and actions of a program, read from the end of its leg. */
import type { ErrorData } from '../../errors.ts'
import type { Ending, LoopContext } from '../loop/changes/context.ts'
import type { LegInput, LegOutcome } from './leg.ts'
import type { ProgramWork } from './setup.ts'

interface LegEnded {
  readonly event: { readonly output: unknown }
}

const legOf = ({ event }: LegEnded) => event.output as LegOutcome

/** Whether a leg ends in this state. */
export function ending(state: LegOutcome['state']) {
  return (ended: LegEnded) => ({ isIt: legOf(ended).state === state })
}

export function callsOf(ended: LegEnded) {
  const leg = legOf(ended)
  return leg.state === 'calls' ? leg.calls : []
}

export function textOf(ended: LegEnded) {
  const leg = legOf(ended)
  return leg.state === 'done' ? leg.text : ''
}

export function errorOf(ended: LegEnded): ErrorData {
  const leg = legOf(ended)
  return 'error' in leg ? leg.error : brokenInterpreter
}

/** The model that wrote the program reads what went wrong. */
export function failureOf(ended: LegEnded): Ending {
  const error = errorOf(ended)
  return { outcome: 'failed', error, reason: error.message }
}

/** A leg has an error, or is one of the others: another outcome is a fault of the interpreter. */
const brokenInterpreter = {
  name: 'CodeError',
  code: 'CODE_FAILED',
  message: 'The interpreter gave an outcome that is none.',
}

export function legInput({ input, work }: LoopContext<ProgramWork>): LegInput {
  const { names } = input.profile.toolset.whole
  return { program: programIn(input.task), names: names.toSorted(), legs: work.legs }
}

/** A program within one block of Markdown is the program. */
function programIn(task: string): string {
  return /^\s*```[\w-]*[^\S\n]*\n([\s\S]*?)\n?```\s*$/.exec(task)?.[1] ?? task
}
