/** The rules that always hold: they are checked at every step of every exploration. */
import { bracketRule } from './brackets.ts'
import { callsInDoubtAreDecided, nothingFollowsLateEnds, nothingSettledIsRepeated } from './crashes.ts'
import { nothingLeft, oneOutcomeEach, usageIsThatOfJournal } from './endings.ts'
import { budgetHolds, capsHold } from './limits.ts'
import { noMessageIsLost } from './sayings.ts'
import { nothingIsScoredAfterBail, nothingStartsAfterCancel, nothingStartsAfterEnd } from './starts.ts'
import type { BuiltInRule } from './visit.ts'

export interface BuiltInOptions {
  /** The limit of model calls, where the budget has one. */
  readonly modelCalls: number | undefined
}

/** Rules of one step. Rules of the whole graph are in `graph-rules.ts`. */
export function builtInRules({ modelCalls }: BuiltInOptions): readonly BuiltInRule[] {
  return [
    {
      name: 'the run does not throw',
      check: ({ world: { fault } }) => fault && `${fault.code}: ${fault.message}`,
    },
    {
      name: 'no machine fails',
      check: ({ world: { state } }) => machineFailure(state.output?.error?.code),
    },
    { name: 'each delegation has one outcome', check: oneOutcomeEach },
    { name: 'nothing is left at the end', check: nothingLeft },
    { name: 'nothing starts after a cancel', check: nothingStartsAfterCancel },
    { name: 'nothing starts after an end', check: nothingStartsAfterEnd },
    { name: 'no settled effect is repeated', check: nothingSettledIsRepeated },
    { name: 'a call in doubt is repeated as its tool says', check: callsInDoubtAreDecided },
    { name: 'nothing follows a late end', check: nothingFollowsLateEnds },
    { name: 'nothing is scored after a bail', check: nothingIsScoredAfterBail },
    { name: 'caps hold', check: capsHold },
    { name: 'the budget holds', check: budgetHolds(modelCalls) },
    { name: 'events come in pairs', check: bracketRule },
    { name: 'the usage is that of the journal', check: usageIsThatOfJournal },
    { name: 'no message of a person is lost', check: noMessageIsLost },
  ]
}

/** Of a machine that is no agent. */
export const machineRules: readonly BuiltInRule[] = [
  {
    name: 'the run does not throw',
    check: ({ world: { fault } }) => fault && `${fault.code}: ${fault.message}`,
  },
  {
    name: 'no machine fails',
    check: ({ world: { state } }) => {
      const { error } = state.output ?? {}
      return error && `The machine threw: ${error.message}`
    },
  },
  { name: 'nothing is left at the end', check: nothingLeft },
]

function machineFailure(code: string | undefined): string | undefined {
  return code === 'MACHINE_FAILED' ? 'A machine of the run threw.' : undefined
}
