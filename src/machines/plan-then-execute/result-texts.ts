/** The results of a plan as text for models: the result of each step, and the missing steps. */

import type { PlanStep } from '../contract/plan.ts'
import { missing, stepsOf, type PlanWork, type PlanContext } from './work.ts'

/** The steps that were tried, with their results. */
export function resultsOf(work: PlanWork): string {
  return stepsOf(work)
    .flatMap(({ id, goal, status }, place) =>
      status === 'complete' || status === 'failed'
        ? [`- "${id}" (${status}): ${goal}\n  ${work.resultTexts[place] ?? 'No result.'}`]
        : [],
    )
    .join('\n')
}

/** The results that a step needs. */
export function resultsFor(work: PlanWork, { dependsOn }: PlanStep): string {
  return stepsOf(work)
    .flatMap(({ id, goal, status }, place) =>
      status === 'complete' && dependsOn.includes(id)
        ? [`- ${goal}\n  ${work.resultTexts[place] ?? ''}`]
        : [],
    )
    .join('\n')
}

/** The prompt for the answer: all results, and the missing steps. */
export function synthesisPrompt(context: PlanContext): string {
  const work = context.work
  const left = missing(work).map(({ id, goal }) => `- "${id}": ${goal}`)
  return [
    `You have carried out a plan for the task. What its steps gave:\n${resultsOf(work)}`,
    ...(left.length === 0
      ? ['Answer the task now, from these results.']
      : [
          `These steps were not carried out:\n${left.join('\n')}`,
          'Answer the task now as far as these results go, and say plainly what failed and what is missing.',
        ]),
  ].join('\n\n')
}

/** The task of a subagent: the goal, and the results that the step needs. */
export function delegationPrompt(work: PlanWork, step: PlanStep): string {
  const results = resultsFor(work, step)
  return results === '' ? step.goal : `${step.goal}\n\nWhat was found before:\n${results}`
}
