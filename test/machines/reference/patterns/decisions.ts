/** The endings of an agent whose model does not make a decision, because the budget does not allow it. */
import type { DecisionOutput } from '../../../../src/machines/contract/reports.ts'
import type { Story } from '../story/story.ts'
import type { Row } from '../table.ts'
import { outOfBudget, usageUnknown } from './loop.ts'

/** The error of a decision that was not made: of the decision, or of a child that crashed. */
export function undecided(story: Story): string | undefined {
  if (story.now?.type !== 'outcome' || !story.gets('decision')) return undefined
  const { error, value } = story.now.outcome
  return error?.code ?? (value as DecisionOutput).error?.code
}

export const withoutBudget: readonly Row[] = [
  {
    ending: outOfBudget,
    when: (story) => undecided(story) === 'BUDGET_EXCEEDED',
    lastTurn: 'unless silent',
  },
  { ending: usageUnknown, when: (story) => undecided(story) === 'USAGE_UNKNOWN' },
]
