/** What of the test kit and of diagrams must, and must not, compile. */
import { createAgent, type ChatModel, type ModelRequest } from 'troupe'
import { toMermaid, toStateTable } from 'troupe/diagram'
import { coverMachine, scriptedModel, type RecordedCall, type TransitionCoverage } from 'troupe/testing'
import { fromPromise, setup } from 'xstate'
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

expectType<string>()(toMermaid(machine, { depth: 2, direction: 'LR', actions: true, notes: true }))
expectType<string>()(toMermaid(machine, { inside: 'working', overview: true }))
expectType<string>()(toStateTable(machine))
// @ts-expect-error the inside of one state is drawn
toMermaid(machine, { inside: ['working'] })
// @ts-expect-error not one of the directions
toMermaid(machine, { direction: 'down' })
// @ts-expect-error there is no such option
toMermaid(machine, { theme: 'dark' })
// @ts-expect-error a promise has no chart
toMermaid(fromPromise(async () => 1))
