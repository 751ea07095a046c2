/** An app of the user's: an XState machine that has an agent do its work, and shows what has come of it. */
import type { AgentOptions, FinalResult, HostedInput, HostedLogic, RunEvent, SignalRefused } from 'troupe'
import { assign, setup, waitFor, type ActorRefFrom, type AnyActorRef, type SnapshotFrom } from 'xstate'

/** Of any agent, a supervisor too. */
export type Desk = HostedLogic<AgentOptions>

export type DeskEvent = RunEvent | SignalRefused

interface AppContext {
  readonly input: HostedInput<AgentOptions>
  readonly result: FinalResult | undefined
  readonly error: unknown
}

export function appMachine(desk: Desk) {
  return setup({
    types: {
      input: {} as HostedInput<AgentOptions>,
      context: {} as AppContext,
      events: {} as { type: 'leave' },
      children: {} as { desk: 'desk' },
    },
    actors: { desk },
  }).createMachine({
    id: 'app',
    context: ({ input }) => ({ input, result: undefined, error: undefined }),
    initial: 'working',
    states: {
      working: {
        invoke: {
          src: 'desk',
          id: 'desk',
          input: ({ context }) => context.input,
          onDone: { target: 'served', actions: assign({ result: ({ event }) => event.output }) },
          onError: { target: 'broken', actions: assign({ error: ({ event }) => event.error }) },
        },
        on: { leave: 'left' },
      },
      served: {},
      broken: {},
      left: {},
    },
  })
}

type App = ReturnType<typeof appMachine>

/** The app when its agent has ended, one way or the other. */
export function served(app: ActorRefFrom<App>): Promise<SnapshotFrom<App>> {
  return waitFor(app, (snapshot) => !snapshot.matches('working'))
}

export function deskOf(app: ActorRefFrom<App>): ActorRefFrom<Desk> {
  const { desk } = app.getSnapshot().children
  if (desk === undefined) throw new Error('The app has no desk.')
  return desk
}

/** What an agent in an app emits, as it comes. */
export function heardFrom(desk: ActorRefFrom<Desk>): readonly DeskEvent[] {
  const heard: DeskEvent[] = []
  desk.on('*', (event) => heard.push(event))
  return heard
}

export function typesOf(events: readonly DeskEvent[]): readonly string[] {
  return events.map((event) => event.type)
}

/** The first event of a type that is emitted from now on. */
export function heard<Type extends DeskEvent['type']>(
  desk: ActorRefFrom<Desk>,
  type: Type,
): Promise<Extract<DeskEvent, { type: Type }>> {
  return new Promise((resolve) => {
    const subscription = desk.on(type, (event) => {
      subscription.unsubscribe()
      resolve(event as Extract<DeskEvent, { type: Type }>)
    })
  })
}

/** As a program stores it, and reads it again. */
export function stored(actor: AnyActorRef) {
  return JSON.parse(JSON.stringify(actor.getPersistedSnapshot())) as ReturnType<
    typeof actor.getPersistedSnapshot
  >
}
