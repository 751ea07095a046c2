/**
 * Charts that are started by hand with a wrong input, under plain XState: the actor fails with a `ConfigurationError` that names
 * the field, the agent where the input tells of it, and what to do.
 */
import { ConfigurationError } from 'troupe'
import * as machines from 'troupe/machines'
import { expect, test } from 'vitest'
import { createActor, createMachine, initialTransition, type AnyActorRef, type AnyStateMachine } from 'xstate'
import type { AgentInput } from '../../src/machines/contract/agent.ts'
import { patterns, patternTree, type Pattern } from '../support/agents/pattern-tree.ts'

const { inputOf } = machines

const charts: Readonly<Record<Pattern, () => AnyStateMachine>> = {
  react: machines.reactMachine,
  supervisor: machines.supervisorMachine,
  router: machines.routerMachine,
  dispatch: machines.dispatchMachine,
  'plan-then-execute': machines.planThenExecuteMachine,
  'fan-out': machines.fanOutMachine,
  'meta-router': machines.metaRouterMachine,
  reflexion: machines.reflexionMachine,
  debate: machines.debateMachine,
}

const parts: Readonly<Record<string, () => AnyStateMachine>> = {
  'tool-call': machines.toolCallMachine,
  delegation: machines.delegationMachine,
  completion: machines.completionMachine,
  decision: machines.decisionMachine,
  compaction: machines.compactionMachine,
  screening: machines.screeningMachine,
}

/** How an actor fails that is started with it: alone, as a child that is invoked, and by the pure functions of XState. */
function failuresOf(machine: AnyStateMachine, input: unknown): readonly unknown[] {
  const failures: unknown[] = []
  const alone: AnyActorRef = createActor(machine, { input } as never)
  alone.subscribe({ error: (error) => failures.push(error) })
  alone.start()
  const parent = createMachine({
    initial: 'at',
    states: {
      at: { invoke: { src: machine, input: () => input as never, onError: { target: 'failed' } } },
      failed: { entry: ({ event }) => failures.push((event as unknown as { error: unknown }).error) },
    },
  })
  const app = createActor(parent)
  app.start()
  expect(app.getSnapshot().value).toBe('failed')
  const [snapshot] = initialTransition(machine, input as never) as unknown as [{ error: unknown }]
  return [...failures, snapshot.error]
}

function expectRefused(machine: AnyStateMachine, input: unknown, ...words: readonly string[]): void {
  const failures = failuresOf(machine, input)
  expect(failures).toHaveLength(3)
  for (const error of failures) {
    expect(error).toBeInstanceOf(ConfigurationError)
    expect((error as ConfigurationError).code).toBe('INVALID_CONFIGURATION')
    for (const word of ['inputOf(agent, prompt) of troupe/machines', ...words])
      expect((error as Error).message).toContain(word)
  }
}

const noInputs: readonly (readonly [unknown, string])[] = [
  [undefined, 'must be an object, not undefined'],
  [null, 'must be an object, not null'],
  ['Go', 'must be an object, not "Go"'],
  [7, 'must be an object, not 7'],
  [['Go'], 'must be an object, not'],
  [() => 'Go', 'must be an object, not'],
  [{ promt: 'Go' }, 'there is no field "promt"'],
]

for (const pattern of patterns) {
  const chart = charts[pattern]
  const agent = patternTree([pattern]).agent
  const whole: AgentInput = inputOf(agent, 'Go')
  const { id } = whole.profile

  test.each(noInputs)(`the chart of ${pattern} with %j`, (input, words) => {
    expectRefused(chart(), input, words)
  })

  test(`the chart of ${pattern} without a field`, () => {
    expectRefused(chart(), {}, 'profile must be an object, not undefined')
    const optional = ['threadId', 'resourceId']
    const fields = Object.keys(whole).filter((name) => !optional.includes(name))
    expect(fields).toHaveLength(8)
    for (const field of fields) {
      const input = { ...whole, [field]: undefined }
      const of =
        field === 'profile' ? 'The input of the chart: ' : `The input of the chart of the agent "${id}": `
      expectRefused(chart(), input, `${of}${field} must be`, 'not undefined')
    }
  })

  test.each<[string, object, string]>([
    ['a task that is no text', { task: { text: 'Go' } }, 'task must be a text'],
    ['messages that are a list', { messages: [] }, 'messages must be a log of messages'],
    [
      'messages of another copy',
      { messages: { append: () => [], digest: '' } },
      'a log of another copy of troupe',
    ],
    ['a field that is not known', { maxStep: 3 }, 'there is no field "maxStep"; did you mean "maxSteps"?'],
    [
      'an opening without a history',
      { opening: { addedInstructions: [] } },
      'opening.history must be a list',
    ],
    ['a depth that is a text', { depth: '0' }, 'depth must be a number'],
    ['an empty profile', { profile: {} }, 'profile.id must be a text'],
    [
      'a profile without tools',
      { profile: { ...whole.profile, toolset: {} } },
      'profile.toolset must be a toolset',
    ],
    [
      'a profile without caps',
      { profile: { ...whole.profile, caps: null } },
      'profile.caps must be an object',
    ],
  ])(`the chart of ${pattern} with %s`, (_, wrong, words) => {
    expectRefused(chart(), { ...whole, ...wrong }, words)
  })

  test(`the chart of ${pattern} takes what inputOf makes`, () => {
    const actor = createActor(chart(), { input: whole } as never)
    actor.start()
    expect(actor.getSnapshot().status).toBe('active')
    actor.stop()
  })
}

for (const [id, chart] of Object.entries(parts)) {
  test.each(noInputs)(`the chart ${id} with %j`, (input, words) => {
    expectRefused(chart(), input, `The input of the chart "${id}"`, words)
  })

  test(`the chart ${id} with an agent alone`, () => {
    const input = id === 'delegation' ? { profile: { id: 'lead' } } : { agent: 'lead' }
    expectRefused(
      chart(),
      input,
      `The input of the chart "${id}" of the agent "lead": `,
      'must be',
      'not undefined',
    )
  })
}
