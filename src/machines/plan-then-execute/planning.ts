/**
 * `planning`, `validating` and `replanning`: the model makes the plan, or revises the rest of it; then the plan is
 * checked.
 */
import { problemOf, valueOf } from '../loop/changes/decision-input.ts'
import { asking } from '../loop/states/asking.ts'
import { planQuestion } from './prompts.ts'
import { planSetup } from './setup.ts'

interface Planned {
  readonly planned: string
}

const plan = ({ planned }: Planned) =>
  asking(
    {
      question: planQuestion,
      take: { type: 'recordProposal', params: valueOf },
      takeNone: { type: 'recordNoProposal', params: problemOf },
    },
    { made: planned, goesOn: planned },
  )

export function planning(to: Planned) {
  return planSetup.createStateConfig({
    description: 'The model lays out the task as steps.',
    ...plan(to),
  })
}

export function replanning(to: Planned) {
  const { entry, always } = plan(to)
  return planSetup.createStateConfig({
    description: 'The unfinished steps are planned again; finished steps stay.',
    entry: ['countReplan', entry],
    always,
  })
}

export function validating(to: { readonly sound: string; readonly unsound: string }) {
  const sound = `#${to.sound}` as const
  return planSetup.createStateConfig({
    description: 'Can every step of the plan run? No unknown ids, no cycle, not empty.',
    always: [
      { guard: 'isSound', target: sound },
      { target: `#${to.unsound}`, actions: 'announceProblem' },
    ],
  })
}
