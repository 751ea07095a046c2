/** The charts of a connection and of its clients: every state and every arrow, and any order of events. */
import { getShortestPaths } from '@xstate/graph'
import fc from 'fast-check'
import { RetryableError, TerminalError } from 'troupe'
import { expect, test } from 'vitest'
import {
  createActor,
  fromPromise,
  initialTransition,
  transition,
  type AnyMachineSnapshot,
  type AnyStateMachine,
} from 'xstate'
import { connectionMachine, type HeldSession } from '../../src/mcp/connection/connection-machine.ts'
import { sessionMachine } from '../../src/mcp/connection/session-machine.ts'
import { findingsIn, type MachineParts } from '../support/machine-config.ts'

test.for([connectionMachine(), sessionMachine()] as readonly AnyStateMachine[])('$id is wired', (machine) => {
  expect(findingsIn(machine as unknown as MachineParts)).toEqual([])
})

/** The name tells events apart that the search would take for one. */
const held = (name = ''): HeldSession => ({
  client: { name } as unknown as HeldSession['client'],
  retire: () => undefined,
  end: () => undefined,
})

const first = held()
const connected = { type: 'xstate.done.actor.connect', output: first }
const failed = (error: Error) => ({ type: 'xstate.error.actor.connect', error })

const eventsOfConnection = [
  { type: 'client.wanted' },
  { type: 'session.lost', session: first },
  { type: 'session.lost', session: held('before') },
  { type: 'connection.closed' },
  connected,
  failed(new RetryableError('away')),
  failed(new TerminalError('no')),
]

const eventsOfSession = [
  { type: 'request.sent' },
  { type: 'request.settled' },
  { type: 'session.retired' },
  { type: 'session.ended' },
  { type: 'transport.closed' },
  { type: 'xstate.done.actor.close', output: undefined },
  { type: 'xstate.error.actor.close', error: new Error('broken pipe') },
]

/** From each state that can be reached, each event: `from --event--> to`. */
function arrowsOf(
  machine: AnyStateMachine,
  events: readonly { readonly type: string }[],
): ReadonlySet<string> {
  const paths = getShortestPaths(machine, {
    events,
    serializeState: ({ value, context }: AnyMachineSnapshot) => JSON.stringify([value, context['open']]),
    stopWhen: ({ context }: AnyMachineSnapshot) => context['open'] > 2 || context['open'] < 0,
  } as never)
  return new Set(
    paths.flatMap(({ state }) =>
      events.map((event) => {
        const [next] = transition(machine, state as never, event as never)
        return `${String(state.value)} --${event.type}--> ${String(next.value)}`
      }),
    ),
  )
}

/** The arrows that the config draws. */
function drawnBy(machine: AnyStateMachine): readonly string[] {
  return Object.values(machine.root.states).flatMap((state) =>
    [...state.transitions.values()].flat().map((drawn) => {
      const target = drawn.target?.[0]?.key ?? state.key
      return `${state.key} --${drawn.eventType}--> ${target}`
    }),
  )
}

test.for([
  ['connection', connectionMachine(), eventsOfConnection],
  ['session', sessionMachine(), eventsOfSession],
] as readonly (readonly [string, AnyStateMachine, readonly { type: string }[]])[])(
  'every arrow of the chart of a %s is taken, and leads where it is drawn',
  ([, machine, events]) => {
    const taken = arrowsOf(machine, events)
    expect(drawnBy(machine).filter((arrow) => !taken.has(arrow))).toEqual([])
    expect(drawnBy(machine).length).toBeGreaterThan(8)
  },
)

test('in any order of events a session is closed once, and never with calls that it has begun', async () => {
  const step = fc.constantFrom('sent', 'settled', 'retired')
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      let closed = 0
      const close = fromPromise<void>(async () => void closed++)
      const actor = createActor(sessionMachine().provide({ actors: { close } })).start()
      let open = 0
      let isRetired = false
      for (const one of steps) {
        if (one === 'settled' && open === 0) continue
        if (actor.getSnapshot().matches('closed') || actor.getSnapshot().matches('closing')) break
        if (one === 'retired') actor.send({ type: 'session.retired' })
        else actor.send({ type: `request.${one}` })
        open += one === 'sent' ? 1 : one === 'settled' ? -1 : 0
        isRetired ||= one === 'retired'
        await Promise.resolve()
        expect(closed).toBe(isRetired && open === 0 ? 1 : 0)
      }
    }),
  )
})

test('in any order of events one attempt at a time is made, and only where a call wants it', async () => {
  const step = fc.constantFrom('wanted', 'lost', 'lost before', 'made', 'failed')
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const attempts: PromiseWithResolvers<HeldSession>[] = []
      const retired: HeldSession[] = []
      const connect = fromPromise<HeldSession>(() => {
        const attempt = Promise.withResolvers<HeldSession>()
        attempts.push(attempt)
        return attempt.promise
      })
      const actor = createActor(connectionMachine().provide({ actors: { connect } })).start()
      const made: HeldSession[] = []
      for (const one of steps) {
        const before = attempts.length
        const was = actor.getSnapshot()
        const current = was.context.session
        switch (one) {
          case 'wanted':
            actor.send({ type: 'client.wanted' })
            break
          case 'lost':
            if (current !== undefined) actor.send({ type: 'session.lost', session: current })
            break
          case 'lost before':
            for (const old of made) if (old !== current) actor.send({ type: 'session.lost', session: old })
            expect(actor.getSnapshot().context.session).toBe(current)
            break
          case 'made': {
            const session: HeldSession = { ...held(), retire: () => void retired.push(session) }
            made.push(session)
            attempts.at(-1)?.resolve(session)
            break
          }
          case 'failed':
            attempts.at(-1)?.reject(new RetryableError('away'))
            break
        }
        await new Promise((resolve) => void setImmediate(resolve))
        const began = attempts.length - before
        const mayBegin = one === 'wanted' && !was.hasTag('trying') && !was.matches('ready')
        expect(began).toBe(mayBegin ? 1 : 0)
        expect(actor.getSnapshot().matches('ready')).toBe(actor.getSnapshot().context.session !== undefined)
      }
      expect(new Set(retired).size).toBe(retired.length)
      expect(initialTransition(connectionMachine())[0].value).toBe('idle')
    }),
    { numRuns: 60 },
  )
})
