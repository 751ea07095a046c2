/**
 * The prompts for the planner's decisions: the plan, the action for a step, and whether a result changes the plan.
 */
import { z } from 'zod'
import type { ResponseFormat } from '../../actors/chat-model.ts'
import type { CallReader, ToolCall } from '../../actors/message.ts'
import type { Schema } from '../../actors/schemas/schema.ts'
import { toJsonSchema } from '../../actors/schemas/to-json-schema.ts'
import { groupChoices } from '../../actors/tool-groups.ts'
import type { Toolset } from '../../actors/toolset/toolset.ts'
import { once } from '../../actors/values/once.ts'
import { callsIn, judged, parseDecision } from '../decision/parse-decision.ts'
import type { Question } from '../loop/changes/decision-input.ts'
import type { PlanStep } from '../contract/plan.ts'
import { anyArgs, checkProposal, judgedCalls, proposalSchemaFor } from './proposal.ts'
import { bindsSteps } from './plan-approval.ts'
import { resultsFor, resultsOf } from './result-texts.ts'
import { stepsOf, type PlanContext } from './work.ts'

const actionSchema = once(() =>
  z.object({
    tool: z.string().nullish().describe('The tool or agent to use'),
    args: anyArgs().nullish().describe('Its arguments'),
    answer: z.string().nullish().describe('The result of the step, where no tool is needed'),
    replan: z.string().nullish().describe('Why the step makes no sense any more after what was found'),
  }),
)

export type Action = z.output<ReturnType<typeof actionSchema>>

const reviewSchema = once(() =>
  z.object({
    replan: z.string().nullish().describe('Why the rest of the plan must be made anew; null: it stands'),
  }),
)

export type Review = z.output<ReturnType<typeof reviewSchema>>

/** Asks for the plan, or for the rest of it. */
export function planQuestion(context: PlanContext): Question {
  const work = context.work
  const { toolset, caps } = context.input.profile
  const problems = work.problems.join('\n')
  const most = `The plan has at most ${caps.maxPlanSteps} steps; those that do not depend on one another run side by side.`
  const opening =
    work.problems.length === 0
      ? 'Do not carry out the task yet: plan it first, as steps.'
      : resultsOf(work) === ''
        ? `The plan cannot be carried out: ${problems}\nPlan again.`
        : `The plan must be revised: ${problems}\n\nWhat its steps gave:\n${resultsOf(work)}\n\nPlan only what remains. Steps that are complete stay as they are, and others may depend on them. No steps: what was found is enough.`
  const schema = proposalSchemaFor(groupChoices(context.input.profile))
  return question('plan', schema, `${opening} ${most}\n\n${offer(toolset, false)}`, {
    check: (text, verdicts) => checkProposal(text, schema, toolset, verdicts),
    calls: (text) => judgedCalls(text, schema, toolset),
  })
}

/** Asks for the action of a step that the plan leaves open. */
export function actionQuestion(context: PlanContext, step: PlanStep): Question {
  const { toolset } = context.input.profile
  const bound = bindsSteps(context) ? step.toolHint : undefined
  const results = resultsFor(context.work, step)
  const prompt = [
    `Carry out the step "${step.id}" of the plan, and only this step: ${step.goal}`,
    ...(results === '' ? [] : [`What was found before:\n${results}`]),
    ...(bound === undefined ? openOffer(step, toolset) : boundOffer(bound, toolset)),
  ].join('\n\n')
  return question('step', actionSchema(), prompt, {
    check: (text, verdicts) =>
      parseDecision(text, actionSchema(), (action) => {
        const { tool, answer, replan } = action
        if (replan || (!tool && answer)) return undefined
        if (!tool) return 'give a tool with its arguments, or an answer'
        if (bound !== undefined && tool !== bound)
          return `the plan was approved with "${bound}" for this step, and "${tool}" is not allowed: use "${bound}", or say why to plan again`
        const check = toolset.check(judged(chosenCall(action), verdicts))
        return check.status === 'invalid' ? check.problem : undefined
      }),
    calls: (text) => callsIn(text, actionSchema(), (action) => actionCalls(action, toolset)),
  })
}

function openOffer({ toolHint }: PlanStep, toolset: Toolset): string[] {
  return [
    ...(toolHint === undefined ? [] : [`The plan suggests "${toolHint}".`]),
    'Choose a tool or an agent with its arguments, or give the result of the step yourself.',
    offer(toolset, true),
  ]
}

/** What was approved is all that the step may call. */
function boundOffer(name: string, toolset: Toolset): string[] {
  return [
    `The plan was approved with "${name}" for this step. Give its arguments, or the result of the step yourself; no other tool or agent is allowed.`,
    offer(toolset, true, [name]),
  ]
}

/** The call that an action names. */
export function chosenCall({ tool, args }: Action): ToolCall {
  return { id: '', name: tool ?? '', args: args ?? {} }
}

function actionCalls(action: Action, toolset: Toolset): ReturnType<CallReader> {
  const call = chosenCall(action)
  const isOffered = toolset.tools.has(call.name) || toolset.subagent(call.name) !== undefined
  return isOffered && !action.replan ? [call] : []
}

/** Asks whether the result of a step changes the rest of the plan. */
export function reviewQuestion(context: PlanContext, place: number): Question {
  const work = context.work
  const step = stepsOf(work)[place]
  const waiting = stepsOf(work).flatMap(({ id, goal, status }) =>
    status === 'pending' ? [`- "${id}": ${goal}`] : [],
  )
  const prompt = [
    `The step "${step?.id}" (${step?.goal}) gave:\n${work.resultTexts[place] ?? ''}`,
    `Still to be done:\n${waiting.join('\n')}`,
    'Must the rest of the plan be made anew because of it?',
  ].join('\n\n')
  return question('review', reviewSchema(), prompt, {
    check: (text) => parseDecision(text, reviewSchema()),
  })
}

function question(
  subject: string,
  schema: Schema,
  prompt: string,
  reading: Pick<Question, 'check' | 'calls'>,
): Question {
  const responseFormat = formatOf(subject, schema)
  const shape = `This is not the answer yet: reply with one JSON value alone that fits this JSON Schema:\n${JSON.stringify(responseFormat.schema)}`
  return {
    subject,
    prompt: `${prompt}\n\n${shape}`,
    responseFormat,
    ...reading,
  }
}

const formats = new WeakMap<Schema, ResponseFormat>()

/** Made on first use: most programs have no planner. */
function formatOf(name: string, schema: Schema): ResponseFormat {
  const made = formats.get(schema) ?? { name, schema: toJsonSchema(schema, name) }
  formats.set(schema, made)
  return made
}

/** A plan gives subagents a goal and no arguments; only a call needs their parameters. */
function offer({ descriptions, tools }: Toolset, withDelegations: boolean, only?: readonly string[]): string {
  const offered = descriptions.filter(({ name }) => only?.includes(name) ?? true)
  if (offered.length === 0) return 'There are no tools: you do each step yourself.'
  const lines = offered.map(({ name, description, parameters }) =>
    withDelegations || tools.has(name)
      ? `- ${name}: ${description} Arguments: ${JSON.stringify(parameters)}`
      : `- ${name}: ${description}`,
  )
  return `Tools and agents:\n${lines.join('\n')}`
}
