import type { Outcome } from 'troupe/testing'
import { Toolset } from '../../../src/actors/toolset/toolset.ts'
import { noUsage } from '../../../src/actors/usage.ts'
import type { DecisionOutput, DelegationOutput } from '../../../src/machines/contract/reports.ts'
import { fanOutMachine } from '../../../src/machines/fan-out.ts'
import {
  briefReplies,
  callsTool,
  childOutcomes,
  dynamic,
  heldEvents,
  hookOutcomes,
  inARow,
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
import { cancel, failed, fails, fires, spent } from './support.ts'
import { suiteOf } from './suite.ts'

export const goal = { goal: 'Find facts.', agent: 'researcher' }

export function decides(name: string, more: Partial<DecisionOutput>): Outcome<DecisionOutput> {
  const value: DecisionOutput = { kind: 'decision', decision: 'made', usage: noUsage, replies: 1, ...more }
  return { name, value }
}

const overBudget = { name: 'BudgetExceededError', code: 'BUDGET_EXCEEDED', message: 'It is used up.' }
const cannot: readonly Outcome<DecisionOutput>[] = [
  decides('cannot be made', { decision: 'failed', error: failed }),
  decides('is over budget', { decision: 'failed', error: overBudget }),
  decides('lacks usage', { decision: 'failed', error: { ...overBudget, code: 'USAGE_UNKNOWN' } }),
  fails,
]

export function ends(
  outcome: DelegationOutput['record']['outcome'],
  more: Partial<DelegationOutput> = {},
): Outcome<DelegationOutput> {
  const record = {
    id: 'lead/delegation:1.1',
    agent: 'researcher',
    outcome,
    text: 'facts',
    usage: noUsage,
    toolResults: [],
  }
  const value: DelegationOutput = { kind: 'delegation', record, content: 'facts', usage: {}, ...more }
  return { name: `is ${outcome}`, value }
}

const caps = { maxGoals: 2, maxRounds: 2 }
/** One goal, one round and few replies: for what does not depend on how many there are. */
const brief = { model: 'scripted/brief', caps: { maxGoals: 1, maxRounds: 1 }, maxSteps: 2 }

export const fanOutSuite = suiteOf(fanOutMachine(), {
  inputs: {
    'is spoken to': spokenTo(
      loopInput({ ...brief, caps, toolCallConcurrency: 2, maxSteps: 3, hooks: { onFinish: 'agent' } }),
    ),
    plain: loopInput({ caps, maxSteps: 4 }),
    'two at a time': loopInput({ ...brief, caps, toolCallConcurrency: 2, maxSteps: 3 }),
    'no step left for the answer': loopInput({ ...brief, maxSteps: 1 }),
    'stops when told': loopInput({ caps, hooks: { stopWhen: 'agent', onFinish: 'agent' }, maxSteps: 3 }),
    'stops when told, hook errors ignored': loopInput({
      ...brief,
      hooks: { stopWhen: 'agent' },
      hookErrors: 'ignore',
      onExhausted: 'stop',
      maxSteps: 3,
    }),
    'without agents': loopInput({ toolset: Toolset.of({}) }),
    'with observers': loopInput({
      caps: brief.caps,
      hooks: { onStepFinish: 'agent', onFinish: 'agent' },
      maxSteps: 2,
    }),
    'with processors': loopInput({ ...brief, ...processed }),
    'with processors, observed, hook errors ignored': loopInput({
      ...brief,
      ...processed,
      hooks: { ...processed.hooks, onStepFinish: 'agent', onFinish: 'agent' },
      hookErrors: 'ignore',
    }),
    'answers with an object': loopInput({ ...brief, ...shaped }),
    'answers with an object, observed': loopInput({
      ...brief,
      ...shaped,
      hooks: { ...shaped.hooks, onStepFinish: 'agent' },
    }),
    'models in a row': loopInput({ ...brief, ...inARow }),
    'with a long conversation': longInput({ caps: brief.caps, maxSteps: 2 }),
    'made for the run': loopInput({ ...brief, ...dynamic, onExhausted: 'stop' }),
    'made for the run, with processors': loopInput({
      ...brief,
      ...dynamic,
      ...processed,
      onExhausted: 'stop',
    }),
    'made for the run, remembers': rememberingInput({ ...brief, ...dynamic }),
    remembers: rememberingInput(brief),
    'remembers, observed, keeps a cut answer': rememberingInput({
      keepPartial: 'thread',
      ...brief,
      hooks: { onFinish: 'agent' },
    }),
  },
  outcomes: {
    decision: (asked: { subject: string; model: string }) => [
      decides('wants goals', { value: { goals: [goal, goal] } }),
      ...(asked.subject === 'assessment' ? [decides('is content', { value: { goals: [] } })] : []),
      ...cannot,
    ],
    delegation: [ends('succeeded'), ends('failed', { feedback: 'Less.' }), ends('bailed'), fails],
    model: (asked: { model: string; outputProcessors?: unknown }) => {
      const inRow = rowReplies(asked)
      if (inRow !== undefined) return inRow
      if (asked.outputProcessors !== undefined) return screenedReplies
      if (asked.model === longModel) return longReplies()
      return asked.model === brief.model ? briefReplies([]) : replies([[...callsTool]])
    },
    compaction: childOutcomes.compaction,
    memory: memoryOutcomes,
    hook: hookOutcomes,
    timer: [fires],
  },
  events: (snapshot) => [
    cancel,
    spent,
    ...sayEvents(snapshot),
    ...heldEvents(snapshot, snapshot.context.input.profile.toolCallConcurrency === 2 ? 2 : 1),
  ],
  stateKey: (snapshot) => {
    const { round, completions, next } = snapshot.context.work
    return (
      spentKey(snapshot) ?? JSON.stringify([loopKey(snapshot), round, completions.length, next.goals.length])
    )
  },
})
