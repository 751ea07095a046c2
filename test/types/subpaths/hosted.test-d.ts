/** What of agents as logic in a machine of the user's must, and must not, compile. */
import {
  createAgent,
  createSupervisor,
  createTroupe,
  openai,
  type AwaitedSignal,
  type ErrorData,
  type FinalResult,
  type HostedInput,
  type RunEvent,
  type RunSignal,
  type SignalRefused,
  type SupervisorOptions,
  type UnfailedResult,
} from 'troupe'
import {
  assign,
  createActor,
  sendTo,
  setup,
  spawnChild,
  toPromise,
  type ActorRefFrom,
  type OutputFrom,
} from 'xstate'
import { z } from 'zod'
import { expectType } from '../expect-type.ts'

const model = openai('gpt-5-mini')
const writer = createAgent({ id: 'writer', description: 'Works.', instructions: '', model })
const schema = z.object({ city: z.string(), at: z.string().transform((text) => new Date(text)) })
const clock = createAgent({ id: 'clock', instructions: '', model, structuredOutput: { schema } })
const contextSchema = z.object({ language: z.string() })
const local = createAgent({
  id: 'local',
  instructions: ({ context }) => context.language,
  model,
  contextSchema,
})
const lead = createSupervisor({ id: 'lead', instructions: '', model, agents: { writer } })
const troupe = createTroupe({ agents: [lead, clock] })

const actors = {
  writer: troupe.logic(writer),
  clock: troupe.logic(clock),
  lead: troupe.logic(lead),
  local: troupe.logic(local),
}

expectType<FinalResult<undefined>>()({} as OutputFrom<typeof actors.writer>)
expectType<FinalResult<{ city: string; at: Date }>>()({} as OutputFrom<typeof actors.clock>)
// A run that fails is no output where it is an error.
const sure = troupe.logic(clock, { failed: 'error' })
expectType<UnfailedResult<{ city: string; at: Date }>>()({} as OutputFrom<typeof sure>)
// @ts-expect-error there is no such end
troupe.logic(clock, { failed: 'throw' })
export const outcome: Exclude<FinalResult['outcome'], 'failed'> = ({} as OutputFrom<typeof sure>).outcome
export const input: HostedInput<SupervisorOptions> = { prompt: 'Go', maxDepth: 2, threadId: 't' }

export const app = setup({
  types: {
    context: {} as {
      readonly task: string
      readonly result: FinalResult | undefined
      readonly at: Date | undefined
    },
    events: {} as { type: 'approve'; id: string } | { type: 'spawn' },
    children: {} as { lead: 'lead'; clock: 'clock' },
  },
  actors,
}).createMachine({
  context: { task: 'Write.', result: undefined, at: undefined },
  initial: 'working',
  states: {
    working: {
      invoke: {
        src: 'lead',
        id: 'lead',
        input: ({ context }) => ({ prompt: context.task, maxSteps: 3, maxDepth: 2 }),
        onSnapshot: {
          actions: ({ event }) => {
            expectType<readonly AwaitedSignal[]>()(event.snapshot.awaiting)
            expectType<string>()(event.snapshot.runId)
          },
        },
        onDone: {
          target: 'timing',
          actions: assign({
            result: ({ event }) => {
              expectType<FinalResult<undefined>>()(event.output)
              return event.output
            },
          }),
        },
        onError: { actions: ({ event }) => expectType<unknown>()(event.error) },
      },
      on: {
        approve: { actions: sendTo('lead', ({ event }) => ({ type: 'approve', toolCallId: event.id })) },
        spawn: { actions: spawnChild('writer', { id: 'one', input: { prompt: 'Go' } }) },
      },
    },
    timing: {
      invoke: {
        src: 'clock',
        id: 'clock',
        input: { prompt: [{ role: 'user', content: 'When?' }], instructions: 'Be exact.' },
        onDone: {
          actions: assign({
            at: ({ event }) => {
              const { output } = event
              // @ts-expect-error only a completed run has an object
              void output.object
              return output.outcome === 'completed' ? output.object.at : undefined
            },
          }),
        },
      },
    },
  },
})

setup({ actors }).createMachine({
  // @ts-expect-error a prompt is required
  invoke: { src: 'writer', input: { maxSteps: 3 } },
})
setup({ actors }).createMachine({
  // @ts-expect-error an option of another type
  invoke: { src: 'writer', input: { prompt: 'Go', maxSteps: 'three' } },
})
setup({ actors }).createMachine({
  // @ts-expect-error an agent takes no option of supervisors
  invoke: { src: 'writer', input: { prompt: 'Go', maxDepth: 2 } },
})
setup({ actors }).createMachine({
  // @ts-expect-error a prompt is a text, or messages
  invoke: { src: 'lead', input: { prompt: 1 } },
})
setup({ actors }).createMachine({
  // @ts-expect-error its parts are functions of a context, which is required
  invoke: { src: 'local', input: { prompt: 'Go' } },
})
setup({ actors }).createMachine({
  invoke: { src: 'local', input: { prompt: 'Go', context: { language: 'fi' } } },
})
// @ts-expect-error an input is required
createActor(actors.writer)
// @ts-expect-error there is no such option
export const misspelled: HostedInput<SupervisorOptions> = { prompt: 'Go', maxStep: 2 }
// @ts-expect-error a run is not something that a troupe can host
troupe.logic('writer')

export async function alone(): Promise<void> {
  const actor: ActorRefFrom<typeof actors.clock> = createActor(actors.clock, { input: { prompt: 'When?' } })
  actor.on('text-delta', ({ payload }) => expectType<string>()(payload.text))
  actor.on('signal-refused', ({ signal, error }) => {
    expectType<RunSignal>()(signal)
    expectType<ErrorData>()(error)
  })
  actor.on('*', (event) => expectType<RunEvent | SignalRefused>()(event))
  // @ts-expect-error there is no such event
  actor.on('text-deltas', () => undefined)
  actor.send({ type: 'resume', toolCallId: 'c', data: { ok: true } })
  actor.send({ type: 'cancel', reason: 'enough' })
  // @ts-expect-error it does not say which call
  actor.send({ type: 'approve' })
  // @ts-expect-error there is no such event
  actor.send({ type: 'stop' })
  expectType<FinalResult<{ city: string; at: Date }>>()(await toPromise(actor))
}
