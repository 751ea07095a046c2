/** A planner on a scripted model that answers by what it is asked: the plan, a step, a review, or the answer. */
import { createPlanner, type AgentDefinition, type PlannerConfig, type PlannerOptions, textOf } from 'troupe'
import { scriptedModel, type ScriptedModel, type ScriptedReply } from 'troupe/testing'
import type { Message, RunResult } from 'troupe'

type Said = string | object

type BySteps = Readonly<Record<string, Said>> | ((id: string) => Said)

/** What the model says: plans in their order, or by what it is asked; the rest by the id of the step. */
export interface PlanScript {
  readonly plans: readonly Said[] | ((prompt: string) => Said)
  readonly steps?: BySteps
  readonly reviews?: BySteps
  readonly answer?: string | ScriptedReply | (() => string | ScriptedReply)
}

export interface PlannerCast {
  readonly agent: AgentDefinition<PlannerOptions>
  readonly model: ScriptedModel
  /** The prompts of this kind, in the order of the calls. */
  prompts(kind: 'plan' | 'step' | 'review' | 'answer'): readonly string[]
}

type Rest = Partial<Omit<PlannerConfig, 'id' | 'model'>>

export function planner(script: PlanScript, config: Rest = {}): PlannerCast {
  const asked: { readonly kind: 'plan' | 'step' | 'review' | 'answer'; readonly prompt: string }[] = []
  let plans = 0
  const model = scriptedModel([], {
    modelId: 'planner',
    otherwise: ({ messages, responseFormat }) => {
      const prompt = lastOf(messages)
      const kind = kindOf(responseFormat?.name)
      asked.push({ kind, prompt })
      if (kind === 'answer')
        return (typeof script.answer === 'function' ? script.answer() : script.answer) ?? 'The answer.'
      if (kind === 'plan')
        return said(
          typeof script.plans === 'function'
            ? script.plans(prompt)
            : (script.plans[plans++] ?? 'No more plans.'),
        )
      const id = stepOf(messages)
      const told = kind === 'step' ? script.steps : script.reviews
      return said((typeof told === 'function' ? told(id) : told?.[id]) ?? { answer: `did ${id}` })
    },
  })
  const agent = createPlanner({ id: 'planner', instructions: 'I am planner.', ...config, model })
  return {
    agent,
    model,
    prompts: (kind) => asked.filter((one) => one.kind === kind).map(({ prompt }) => prompt),
  }
}

function kindOf(name: string | undefined): 'plan' | 'step' | 'review' | 'answer' {
  return name === 'plan' || name === 'step' || name === 'review' ? name : 'answer'
}

function lastOf(messages: readonly Message[]): string {
  return textOf(messages.findLast(({ role }) => role === 'user')?.content ?? '')
}

/** Also where it was asked to answer again. */
function stepOf(messages: readonly Message[]): string {
  const asked = messages.findLast(
    ({ role, content }) => role === 'user' && textOf(content).includes(' step "'),
  )
  return / step "([^"]+)"/.exec(textOf(asked?.content ?? ''))?.[1] ?? ''
}

/** Replies with an error, or that wait, are said as they are; all other objects as JSON. */
function said(reply: Said | ScriptedReply): string | ScriptedReply {
  if (typeof reply === 'string' || 'error' in reply || 'until' in reply || 'hang' in reply) return reply
  return JSON.stringify(reply)
}

/** A plan of steps `{ id, goal: id, … }`. */
export function plan(...steps: readonly ({ readonly id: string } & Readonly<Record<string, unknown>>)[]): {
  readonly steps: readonly object[]
} {
  return { steps: steps.map((step) => ({ goal: `goal of ${step.id}`, ...step })) }
}

/** `a: complete`, of each step of the result. */
export function statuses(result: RunResult): readonly string[] {
  return result.plan?.steps.map(({ id, status }) => `${id}: ${status}`) ?? []
}
