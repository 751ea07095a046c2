/** Fan-outs on scripted models, and what their models decide. */
import { createFanOut, type FanOutConfig, type FanOutOptions } from 'troupe'
import { scriptedModel, type ScriptedStep } from 'troupe/testing'
import type { Cast } from './agents.ts'

type Rest = Omit<FanOutConfig, 'id' | 'model' | 'instructions'> & { readonly otherwise?: ScriptedStep }

/** A fan-out that decides and answers with `steps`. Its instructions are "I am <id>.". */
export function fanOut(
  id: string,
  steps: readonly ScriptedStep[],
  { otherwise, ...config }: Rest,
): Cast<FanOutOptions> {
  const model = scriptedModel(steps, { modelId: id, ...(otherwise === undefined ? {} : { otherwise }) })
  const agent = createFanOut({
    id,
    description: `Divides ${id}.`,
    instructions: `I am ${id}.`,
    ...config,
    model,
  })
  return { agent, model }
}

/** A goal; one that is only a text leaves the agent to the library. */
export type Asked =
  | string
  | {
      readonly goal: string
      readonly agent?: string | null
      readonly context?: string | null
      readonly toolGroups?: readonly string[] | null
    }

function listed(goals: readonly Asked[]) {
  return goals.map((goal) => (typeof goal === 'string' ? { goal } : goal))
}

/** Divides the task into these goals. */
export function divides(...goals: readonly Asked[]): string {
  return JSON.stringify({ goals: listed(goals) })
}

/** Finds the results enough. */
export const enough = JSON.stringify({ complete: true, goals: null })

/** Asks for another round with these goals. */
export function asksFor(...goals: readonly Asked[]): string {
  return JSON.stringify({ complete: false, goals: listed(goals) })
}
