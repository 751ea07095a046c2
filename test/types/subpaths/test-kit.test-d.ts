/** What of the test kit and of diagrams must, and must not, compile. */
import { createAgent, createTroupe, type ChatModel, type ModelRequest } from 'troupe'
import { toMermaid, toStateTable, toSvg } from 'troupe/diagram'
import {
  coverMachine,
  edgeCover,
  graphOf,
  scriptedModel,
  testModel,
  testPaths,
  type CoverOptions,
  type MachinePath,
  type RecordedCall,
  type TransitionCoverage,
} from 'troupe/testing'
import { createMachine, fromPromise, setup } from 'xstate'
import { expectType } from '../expect-type.ts'

const machine = setup({
  types: { context: {} as { readonly count: number }, output: {} as { readonly total: number } },
  actors: { work: fromPromise<number>(async () => 1) },
}).createMachine({
  context: { count: 0 },
  initial: 'working',
  states: { working: { invoke: { src: 'work', onDone: 'done' } }, done: { type: 'final' } },
  output: ({ context }) => ({ total: context.count }),
})

const model = scriptedModel([
  'A text.',
  { text: 'More.', toolCalls: [{ name: 'search', args: { query: 'x' } }], finishReason: 'length' },
  (request) => {
    expectType<ModelRequest>()(request)
    return { error: new Error('down') }
  },
])
expectType<readonly RecordedCall[]>()(model.calls)
createAgent({ id: 'a', instructions: '', model })
export const anyModel: ChatModel = model
// @ts-expect-error not one of the reasons
scriptedModel([{ text: 'a', finishReason: 'tool_calls' }])
// @ts-expect-error arguments are JSON
scriptedModel([{ toolCalls: [{ name: 'search', args: { at: new Date() } }] }])
// @ts-expect-error a script is a list
scriptedModel('A text.')

export async function covers(): Promise<void> {
  const cover = coverMachine(machine, {
    inputs: { one: undefined },
    outcomes: { work: [{ name: 'works', value: 1 }] },
    stateKey: (snapshot, live) => `${snapshot.context.count} ${live.join()}`,
    events: (snapshot) => {
      expectType<number>()(snapshot.context.count)
      return []
    },
    invariant: (snapshot, steps) => {
      expectType<number>()(snapshot.context.count)
      expectType<number | undefined>()(snapshot.output?.total)
      expectType<readonly string[]>()(steps)
      // @ts-expect-error the machine remembers no such thing
      void snapshot.context.sum
      // @ts-expect-error the machine has no such state
      snapshot.matches('resting')
    },
  })
  expectType<TransitionCoverage>()(await cover.run())
  // @ts-expect-error inputs have names
  coverMachine(machine, { inputs: [1], outcomes: {}, limit: 'none' })
  // @ts-expect-error what outcomes there are must be said
  coverMachine(machine, { inputs: {} })
  // @ts-expect-error a machine, not its config
  coverMachine({ initial: 'a' }, { inputs: {}, outcomes: {} })
}

const agent = createAgent({ id: 'clerk', instructions: '', model })
const desk = setup({
  types: {
    input: {} as { readonly order: string },
    events: {} as { readonly type: 'approve'; readonly by: string } | { readonly type: 'deny' },
  },
  actors: {
    clerk: createTroupe({ agents: [agent] }).logic(agent),
    bank: fromPromise<{ readonly receipt: string }, { readonly euros: number }>(async () => ({
      receipt: 'r',
    })),
  },
}).createMachine({ id: 'desk' })

const clerk: CoverOptions<typeof desk>['outcomes'] = {
  clerk: [
    { name: 'answers', value: { outcome: 'completed', text: 'Done.' } },
    { name: 'is stopped', value: { outcome: 'stopped', reason: 'maxSteps' } },
    { name: 'is down', error: { name: 'Error', code: 'DOWN', message: 'no answer' } },
  ],
  bank: ({ euros }) => {
    expectType<number>()(euros)
    return [{ name: 'pays', value: { receipt: 'r-1' } }]
  },
}
const options: CoverOptions<typeof desk> = {
  inputs: { small: { order: 'A-17' } },
  outcomes: clerk,
  events: () => [
    { name: 'approve', event: { type: 'approve', by: 'Ada' } },
    { name: 'asks', event: { type: 'xstate.snapshot.clerk', snapshot: { awaiting: [] } } },
  ],
  interchangeable: ['bank'],
  mayRepeat: { answers: 'There is one clerk.' },
}

export function coversTyped(): void {
  coverMachine(desk, options)
  // @ts-expect-error the machine has no such source
  coverMachine(desk, { ...options, outcomes: { klerk: [] } })
  // @ts-expect-error a misspelt outcome of a run
  coverMachine(desk, { ...options, outcomes: { clerk: [{ name: 'a', value: { outcome: 'completd' } }] } })
  // @ts-expect-error a misspelt field of the result of a run
  coverMachine(desk, { ...options, outcomes: { clerk: [{ name: 'a', value: { outcom: 'completed' } }] } })
  // @ts-expect-error a run that is stopped has a reason
  coverMachine(desk, { ...options, outcomes: { clerk: [{ name: 'a', value: { outcome: 'stopped' } }] } })
  // @ts-expect-error the bank gives a receipt
  coverMachine(desk, { ...options, outcomes: { bank: [{ name: 'pays', value: 'r-1' }] } })
  // @ts-expect-error the machine has no such event
  coverMachine(desk, { ...options, events: [{ name: 'approve', event: { type: 'aprove' } }] })
  // @ts-expect-error an approval says who gave it
  coverMachine(desk, { ...options, events: [{ name: 'approve', event: { type: 'approve' } }] })
  // @ts-expect-error the machine takes an order
  coverMachine(desk, { ...options, inputs: { small: { order: 17 } } })
  // @ts-expect-error the machine has no such source
  coverMachine(desk, { ...options, interchangeable: ['banks'] })
  // @ts-expect-error an exception has a reason
  coverMachine(desk, { ...options, mayRepeat: ['answers'] })

  // A machine whose type does not name its sources takes any.
  coverMachine(createMachine({}), {
    inputs: { one: undefined },
    outcomes: { any: [{ name: 'a', value: 1 }] },
  })
}

export function paths(): void {
  const toState = testPaths(machine, {
    inputs: { one: undefined },
    outcomes: {},
    toState: (snapshot) => snapshot.matches('done') && snapshot.context.count === 0,
    pathGenerator: edgeCover,
  })
  expectType<readonly MachinePath[]>()(toState)
  const found = testModel(machine, { outcomes: { work: [] } })
  for (const { state, steps } of found.getShortestPaths({
    stopWhen: ({ snapshot }) => snapshot.matches('done'),
  })) {
    expectType<number>()(state.snapshot.context.count)
    for (const { event } of steps) expectType<'outcome' | 'event'>()(event.type)
  }
  expectType<string>()(graphOf(machine).id)
  // @ts-expect-error the machine has no such state
  testPaths(machine, { inputs: {}, outcomes: {}, toState: (snapshot) => snapshot.matches('resting') })
}

expectType<string>()(toMermaid(machine, { depth: 2, direction: 'LR', actions: true, notes: true }))
expectType<string>()(toMermaid(machine, { inside: 'working', overview: true }))
expectType<string>()(toSvg(machine, { theme: 'dark', inside: 'working', width: 600 }))
expectType<string>()(toSvg(createAgent({ id: 'a', instructions: '', model })))
// @ts-expect-error no theme
toSvg(machine, { theme: 'blue' })
// @ts-expect-error no subject
toSvg('machine')
expectType<string>()(toStateTable(machine))
// @ts-expect-error the inside of one state is drawn
toMermaid(machine, { inside: ['working'] })
// @ts-expect-error not one of the directions
toMermaid(machine, { direction: 'down' })
// @ts-expect-error there is no such option
toMermaid(machine, { theme: 'dark' })
// @ts-expect-error a promise has no chart
toMermaid(fromPromise(async () => 1))
