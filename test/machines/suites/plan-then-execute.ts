import type { AnyMachineSnapshot } from 'xstate'
import type { Outcome } from 'troupe/testing'
import type { EffectInput, EffectOutcome } from '../../../src/actors/effects/effect-kinds.ts'
import type { DecisionInput } from '../../../src/machines/decision.ts'
import type { DecisionOutput } from '../../../src/machines/contract/reports.ts'
import type { PlanContext } from '../../../src/machines/plan-then-execute/work.ts'
import { planThenExecuteMachine } from '../../../src/machines/plan-then-execute.ts'
import { noUsage } from '../../../src/actors/usage.ts'
import {
  briefReplies,
  callsTool,
  childOutcomes,
  delegated,
  dynamic,
  heldEvents,
  hookOutcomes,
  inARow,
  lacksUsage,
  longInput,
  longModel,
  longReplies,
  loopInput,
  loopKey,
  memoryOutcomes,
  processed,
  rememberingInput,
  replies,
  rowReplies,
  sayEvents,
  screenedReplies,
  shaped,
  spentKey,
  spokenTo,
} from './loop-outcomes.ts'
import { cancel, failed, fails, spent } from './support.ts'
import { suiteOf } from './suite.ts'

const found = { id: 'find', goal: 'Find.', toolHint: 'agent-researcher' }
const looked = { id: 'look', goal: 'Look.', toolHint: 'plain', args: { q: 'x' } }
const again = { id: 'c', goal: 'Look again.', toolHint: 'plain', args: { q: 'z' }, dependsOn: ['b'] }
const written = { id: 'write', goal: 'Write.', dependsOn: ['find'] }

function makes(name: string, value: DecisionOutput['value']): Outcome<DecisionOutput> {
  return {
    name,
    value: { kind: 'decision', decision: 'made', value, usage: noUsage, replies: 1 } satisfies DecisionOutput,
  }
}

function doesNot(name: string, code: string): Outcome<DecisionOutput> {
  const error = { name: 'Error', code, message: 'it failed' }
  return {
    name,
    value: {
      kind: 'decision',
      decision: 'failed',
      error,
      usage: noUsage,
      replies: 2,
    } satisfies DecisionOutput,
  }
}

const decisions: Readonly<Record<string, readonly Outcome<DecisionOutput>[]>> = {
  plan: [
    makes('plans', { steps: [found, written] }),
    makes('plans one step', { steps: [written, { ...written, id: 'find', dependsOn: [] }] }),
    makes('plans nothing', { steps: [] }),
    makes('plans a circle', { steps: [{ ...found, dependsOn: ['write'] }, written] }),
    doesNot('plans in prose', 'INVALID_DECISION'),
    doesNot('is over budget', 'BUDGET_EXCEEDED'),
    doesNot('is down', 'MODEL_FAILED'),
    fails,
  ],
  step: [
    makes('answers', { answer: 'done' }),
    makes('chooses a tool', { tool: 'plain', args: { q: 'y' } }),
    makes('sees no sense in it', { replan: 'There is nothing to write about.' }),
    doesNot('answers in prose', 'INVALID_DECISION'),
    doesNot('is over budget', 'BUDGET_EXCEEDED'),
    doesNot('lacks usage', 'USAGE_UNKNOWN'),
    fails,
  ],
  review: [
    makes('has no objection', { replan: null }),
    makes('objects', { replan: 'It is not what was expected.' }),
    doesNot('objects in prose', 'INVALID_DECISION'),
    doesNot('is over budget', 'BUDGET_EXCEEDED'),
    fails,
  ],
}

/** The plan is not what is looked at: it has one step. */
const brief: Readonly<Record<string, readonly Outcome<DecisionOutput>[]>> = {
  plan: [makes('plans', { steps: [{ ...looked, id: 'a' }] })],
}

/** Two steps at a time, of which one may wait for a person or bail. */
const sideBySide: Readonly<Record<string, readonly Outcome<DecisionOutput>[]>> = {
  plan: [makes('plans', { steps: [found, looked, { ...written, dependsOn: ['look'] }] })],
  step: [makes('answers', { answer: 'done' })],
}

function decisionsOf({ subject, model }: DecisionInput): readonly Outcome<DecisionOutput>[] {
  const table = { 'scripted/scripted': decisions, 'scripted/two': sideBySide }[model] ?? brief
  return table[subject] ?? []
}

/** A plan that a person is asked about. */
const asked = { maxSteps: 1, model: 'scripted/brief', caps: { maxReplans: 1 } }

const answers: readonly Outcome<EffectOutcome<'signal'>>[] = [
  { name: 'yes', value: { approved: true } },
  { name: 'no', value: { approved: false, reason: 'not this' } },
  {
    name: 'yes, with other steps',
    value: { approved: true, args: { steps: [{ ...looked, id: 'b' }, again] } },
  },
  {
    name: 'yes, with a circle',
    value: { approved: true, args: { steps: [{ ...again, dependsOn: ['c'] }] } },
  },
]

const small = { maxSteps: 1, model: 'scripted/brief', caps: { maxReplans: 1 } }

export const planThenExecuteSuite = suiteOf(planThenExecuteMachine(), {
  inputs: {
    'is spoken to': spokenTo(
      loopInput({
        model: 'scripted/two',
        toolCallConcurrency: 2,
        caps: { maxReplans: 1 },
        maxSteps: 1,
        hooks: { onFinish: 'agent' },
      }),
    ),
    plain: loopInput({ caps: { maxReplans: 1 } }),
    'two at a time': loopInput({
      model: 'scripted/two',
      toolCallConcurrency: 2,
      caps: { maxReplans: 1 },
      maxSteps: 1,
      hooks: { onFinish: 'agent' },
    }),
    'looks at results, stops when exhausted': loopInput({
      reviewSteps: true,
      caps: { maxReplans: 1 },
      onExhausted: 'stop',
      maxSteps: 1,
    }),
    'with observers': loopInput({ ...small, hooks: { onStepFinish: 'agent', onFinish: 'agent' } }),
    'with processors': loopInput({ ...processed, ...small }),
    'with processors, observed, hook errors ignored': loopInput({
      ...processed,
      ...small,
      hooks: { ...processed.hooks, onStepFinish: 'agent', onFinish: 'agent' },
      hookErrors: 'ignore',
    }),
    'answers with an object': loopInput({ ...shaped, ...small }),
    'answers with an object, observed': loopInput({
      ...shaped,
      ...small,
      hooks: { ...shaped.hooks, onStepFinish: 'agent' },
    }),
    'models in a row': loopInput({ ...small, ...inARow }),
    'with a long conversation': longInput({ maxSteps: 1, caps: small.caps }),
    'made for the run': loopInput({ ...dynamic, ...small, onExhausted: 'stop' }),
    'made for the run, with processors': loopInput({
      ...dynamic,
      ...processed,
      ...small,
      model: dynamic.model,
      onExhausted: 'stop',
    }),
    'made for the run, remembers': rememberingInput({ ...dynamic, ...small, onExhausted: 'stop' }),
    'a person approves the plan': loopInput({ ...asked, approvePlan: true }),
    'asks whether a person approves the plan': loopInput({
      ...asked,
      approvePlan: 'asks',
      hooks: { approvePlan: 'agent' },
    }),
    'asks whether a person approves the plan, hook errors ignored': loopInput({
      ...asked,
      approvePlan: 'asks',
      hooks: { approvePlan: 'agent' },
      hookErrors: 'ignore',
    }),
    remembers: rememberingInput(small),
    'remembers, observed, keeps a cut answer': rememberingInput({
      keepPartial: 'thread',
      ...small,
      hooks: { onFinish: 'agent' },
      onExhausted: 'stop',
    }),
  },
  outcomes: {
    ...childOutcomes,
    delegation: [...childOutcomes.delegation, delegated('bailed', { error: failed })],
    decision: decisionsOf,
    model: (asked: EffectInput<'model'>) => {
      const inRow = rowReplies(asked)
      if (inRow !== undefined) return inRow
      if (asked.outputProcessors !== undefined) return screenedReplies
      if (asked.model === longModel) return longReplies()
      const isBrief = asked.finalTurn === true || !['scripted/brief', 'scripted/other'].includes(asked.model)
      return isBrief
        ? [...briefReplies([]), ...(asked.finalTurn === true ? [lacksUsage] : [])]
        : replies([[...callsTool]])
    },
    memory: memoryOutcomes,
    signal: answers,
    hook: hookOutcomes,
  },
  events: (snapshot) =>
    snapshot.context.input.profile.model === 'scripted/two'
      ? [cancel, spent, ...heldEvents(snapshot), ...sayEvents(snapshot)]
      : [cancel, spent],
  stateKey: planKey,
})

/** As that of the loop, with what the plan has come to. */
function planKey(snapshot: AnyMachineSnapshot): string {
  const context = snapshot.context as PlanContext
  const { plan, replans, problems, error, tasks, due } = context.work
  const tried = plan?.steps.some(({ status }) => status === 'complete' || status === 'failed')
  const shortened = spentKey(snapshot, [tried, Object.values(tasks).map(({ asks }) => asks)])
  if (shortened !== undefined) return shortened
  return JSON.stringify([
    loopKey(snapshot),
    plan?.steps.map(({ revision, status }) => [revision, status]),
    replans,
    problems.length > 0,
    error?.code,
    Object.values(tasks),
    due,
    context.said.text === '',
  ])
}
