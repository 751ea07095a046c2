/** What a cover refuses: sources, outcomes and events that the machine cannot have. */
import { expect, test } from 'vitest'
import { createAgent, createTroupe, type FinalResult } from 'troupe'
import { coverMachine, scriptedModel, testModel } from 'troupe/testing'
import { assign, setup, type AnyStateMachine } from 'xstate'
import { effect } from '../../../src/actors/effects/effect.ts'

const writer = createAgent({ id: 'writer', instructions: 'Write.', model: scriptedModel([]) })

const letter = setup({
  types: {
    context: {} as { readonly result: FinalResult | undefined },
    events: {} as { type: 'approve' } | { type: 'budget.spent' },
  },
  actors: { writer: createTroupe({ agents: [writer] }).logic(writer), hook: effect('hook') },
}).createMachine({
  id: 'letter',
  context: { result: undefined },
  initial: 'writing',
  states: {
    writing: {
      invoke: {
        src: 'writer',
        id: 'writer',
        input: { prompt: 'Write.' },
        onDone: { target: 'written', actions: assign({ result: ({ event }) => event.output }) },
      },
    },
    written: { on: { approve: 'asking', 'budget.*': 'asking' } },
    asking: {
      invoke: {
        src: 'hook',
        id: 'hook',
        input: { agent: 'a', hook: 'stopWhen', scope: 'agent', data: {} },
        onDone: 'done',
      },
    },
    done: { type: 'final' },
  },
})

/** The types refuse these too: users of JavaScript, and values from elsewhere, come without. */
const cover = (options: object): unknown =>
  coverMachine(letter as AnyStateMachine, { inputs: { one: undefined }, outcomes: {}, ...options })

const writes = (value: object) => ({ outcomes: { writer: [{ name: 'writes', value }] } })

test('a source that the machine does not have is refused, with the nearest one that it has', () => {
  expect(() => cover({ outcomes: { wirter: [] } })).toThrow(
    'coverMachine("letter"): outcomes: there is no source "wirter"; did you mean "writer"? Known: writer, hook.',
  )
  expect(() => cover({ interchangeable: ['writers'] })).toThrow(
    'interchangeable: there is no source "writers"',
  )
})

test('the result of an agent has an outcome, and the fields that belong to it', () => {
  const where = 'The value of the outcome "writes" of "writer"'
  expect(() => cover(writes({ outcom: 'completed' }))).toThrow(
    `${where}: there is no field "outcom"; did you mean "outcome"?`,
  )
  expect(() => cover(writes({ outcome: 'completd' }))).toThrow(`${where}.outcome must be 'completed', `)
  expect(() => cover(writes({ outcome: 'stopped' }))).toThrow(
    `${where}.reason must be a text, not undefined.`,
  )
  expect(() => cover(writes({ outcome: 'completed', reason: 'none' }))).toThrow('there is no field "reason"')
  expect(() => cover(writes(['Dear all']))).toThrow(`${where} must be the result of a run`)
})

test('a result is whole, though a test names only some of its fields', () => {
  const model = testModel(letter, {
    outcomes: { writer: [{ name: 'writes', value: { outcome: 'completed', text: 'Dear all' } }] },
  })
  const [path] = model.getShortestPaths({ toState: ({ snapshot }) => snapshot.matches('written') })
  expect(path?.state.snapshot.context.result).toEqual({
    runId: 'run',
    outcome: 'completed',
    text: 'Dear all',
    delegations: [],
    scores: [],
    steps: [],
    errors: [],
    usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0, byAgent: {} },
  })
})

test('the outcome of an effect has the shape of its kind, and that of a hook the shape of the hook', () => {
  const asks = (value: unknown) => ({
    outcomes: {
      writer: [{ name: 'writes', value: { outcome: 'completed' } }],
      hook: () => [{ name: 'answers', value }],
    },
    events: [{ name: 'approve', event: { type: 'approve' } }],
  })
  expect(() => cover(asks('yes'))).toThrow(
    'The value of the outcome "answers" of "hook" is no outcome of a hook',
  )
  expect(cover(asks(true))).toBeDefined()
})

test('an event that no state hears is refused, with the nearest one that a state hears', () => {
  const named = (type: string) => [{ name: 'says yes', event: { type } }]
  const message = 'No state hears the event "says yes": there is no event "aprove"; did you mean "approve"?'
  expect(() => cover({ events: named('aprove') })).toThrow(message)
  expect(() => cover({ ...writes({ outcome: 'completed' }), events: () => named('aprove') })).toThrow(message)
  for (const type of ['budget', 'budget.spent'])
    expect(() => cover({ events: named(type) })).toThrow('No outcomes are given for children of the source')
})
