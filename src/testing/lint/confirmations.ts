/** Options of `explore` that confirm a finding: its rule holds in every order of the runs. */
import type { ExploreOptions } from '../explore/options.ts'
import { never, sometimes } from '../explore/rules/user-rules.ts'

/** Alphabets are left to the reader of the finding: those that follow from the definition do for most agents. */
export type Confirmation = Pick<ExploreOptions, 'people' | 'rules'>

/** A tool of an agent that is never offered. */
export function neverReturns(agent: string, tool: string): Confirmation {
  const rule = never((run) => run.has('tool-result', { agent, tool }))
  return { rules: { [`no call of ${tool} of ${agent} returns`]: rule } }
}

/** Calls for which the run waits, for as long as no person answers. */
export function asksPerson(
  agent: string,
  tools: readonly string[],
  question: 'tool-call-approval' | 'tool-call-suspended',
): Confirmation {
  const waitsFor = (tool: string) =>
    sometimes((run) => run.has(question, { agent, tool }) && run.has('suspended'))
  return {
    people: ['never'],
    rules: Object.fromEntries(
      tools.map((tool) => [`the run waits for a person: ${tool} of ${agent}`, waitsFor(tool)]),
    ),
  }
}
