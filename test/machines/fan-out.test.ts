import { expect, test } from 'vitest'
import { initialTransition, transition } from 'xstate'
import { coverMachine, type Outcome } from 'troupe/testing'
import { Toolset } from '../../src/actors/toolset.ts'
import { noUsage } from '../../src/actors/usage.ts'
import type { DecisionOutput, DelegationOutput } from '../../src/machines/contract/reports.ts'
import { fanOutMachine } from '../../src/machines/fan-out.ts'
import {
  briefReplies,
  callsTool,
  dynamic,
  heldEvents,
  hookOutcomes,
  loopInput,
  loopKey,
  memoryOutcomes,
  processed,
  rememberingInput,
  replies,
  screenedReplies,
  spentKey,
  shaped,
} from './loop-outcomes.ts'
import { cancel, failed, fails, fires, spent } from './support.ts'

const goal = { goal: 'Find facts.', agent: 'researcher' }

function decides(name: string, more: Partial<DecisionOutput>): Outcome {
  const value: DecisionOutput = { kind: 'decision', decision: 'made', usage: noUsage, replies: 1, ...more }
  return { name, value }
}

const overBudget = { name: 'BudgetExceededError', code: 'BUDGET_EXCEEDED', message: 'It is used up.' }
const cannot: readonly Outcome[] = [
  decides('cannot be made', { decision: 'failed', error: failed }),
  decides('is over budget', { decision: 'failed', error: overBudget }),
  decides('lacks usage', { decision: 'failed', error: { ...overBudget, code: 'USAGE_UNKNOWN' } }),
  fails,
]

function ends(outcome: DelegationOutput['record']['outcome'], more: Partial<DelegationOutput> = {}): Outcome {
  const record = { id: 'lead/delegation:1.1', agent: 'researcher', outcome, text: 'facts', usage: noUsage }
  const value: DelegationOutput = { kind: 'delegation', record, content: 'facts', usage: {}, ...more }
  return { name: `is ${outcome}`, value }
}

const caps = { maxGoals: 2, maxRounds: 2 }
/** One goal, one round and few replies: for what does not depend on how many there are. */
const brief = { model: 'scripted/brief', caps: { maxGoals: 1, maxRounds: 1 }, maxSteps: 2 }

const cover = coverMachine(fanOutMachine(), {
  inputs: {
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
    'made for the run': loopInput({ ...brief, ...dynamic, onExhausted: 'stop' }),
    'made for the run, with processors': loopInput({
      ...brief,
      ...dynamic,
      ...processed,
      onExhausted: 'stop',
    }),
    'made for the run, remembers': rememberingInput({ ...brief, ...dynamic }),
    remembers: rememberingInput(brief),
    'remembers, observed': rememberingInput({ ...brief, hooks: { onFinish: 'agent' } }),
  },
  outcomes: {
    decision: (asked: { subject: string; model: string }) => [
      decides('wants goals', { value: { goals: [goal, goal] } }),
      ...(asked.subject === 'assessment' ? [decides('is content', { value: { goals: [] } })] : []),
      ...cannot,
    ],
    delegation: [ends('succeeded'), ends('failed', { feedback: 'Less.' }), ends('bailed'), fails],
    model: (asked: { model: string; outputProcessors?: unknown }) => {
      if (asked.outputProcessors !== undefined) return screenedReplies
      return asked.model === brief.model ? briefReplies([]) : replies([[...callsTool]])
    },
    memory: memoryOutcomes,
    hook: (asked: { hook: string }) => hookOutcomes[asked.hook] ?? [],
    timer: [fires],
  },
  events: (snapshot) => [
    cancel,
    spent,
    ...heldEvents(snapshot, snapshot.context.input.profile.toolCallConcurrency === 2 ? 2 : 1),
  ],
  stateKey: (snapshot) => {
    const { round, completions, next } = snapshot.context.work
    return (
      spentKey(snapshot) ?? JSON.stringify([loopKey(snapshot), round, completions.length, next.goals.length])
    )
  },
  invariant({ status, output, context }) {
    const { goals, completions } = context.work
    expect(Object.keys(context.live).length).toBeLessThanOrEqual(
      context.input.profile.toolCallConcurrency + 1,
    )
    expect(new Set(completions.toArray().map(({ child }) => child)).size).toBe(completions.length)
    expect(completions.length).toBeLessThanOrEqual(goals.length)
    if (status === 'active') return
    expect(context.live).toEqual({})
    if (output?.outcome === 'failed') expect(output.error).toBeDefined()
    if (context.bail !== undefined && output?.outcome !== 'cancelled') expect(output?.outcome).toBe('bailed')
  },
})

test(`fan-out: ${cover.paths.length} paths over ${cover.edges} edges`, async () => {
  await cover.run()
  expect(cover.transitions().missing).toEqual([])
}, 180_000)

test('a completion that nobody waits for changes nothing', () => {
  const done = (child: string, output: unknown) => ({
    type: `xstate.done.actor.${child}` as const,
    actorId: child,
    output,
  })
  const report = ends('succeeded').value
  const steps = [
    done('decision:1', decides('wants goals', { value: { goals: [goal, goal, goal] } }).value),
    done('delegation:1.2', report),
  ]
  let [snapshot] = initialTransition(fanOutMachine(), loopInput({ toolCallConcurrency: 2 }))
  for (const step of steps) [snapshot] = transition(fanOutMachine(), snapshot, step as never)
  expect(snapshot.context.work.completions.toArray()).toMatchObject([{ child: 'delegation:1.2' }])
  const before = snapshot.context
  // Again, of a child that never was, and of one that is registered and not yet started.
  for (const child of ['delegation:1.2', 'delegation:9.9', 'delegation:1.4']) {
    ;[snapshot] = transition(fanOutMachine(), snapshot, done(child, report) as never)
    expect(snapshot.context).toEqual(before)
    expect(snapshot.value).toEqual({ collecting: 'working' })
  }
})
