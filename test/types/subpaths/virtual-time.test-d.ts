/** What of virtual time must, and must not, compile. */
import { createAgent, createTroupe, type Clock } from 'troupe'
import { createTroupeOn, scriptedModel, virtualClock } from 'troupe/testing'
import { createActor, createMachine } from 'xstate'
import { expectType } from '../expect-type.ts'

const clock = virtualClock({ start: new Date(0) })
const agent = createAgent({ id: 'a', instructions: '', model: scriptedModel([]) })

export const anyClock: Clock = clock
createTroupe({ agents: [agent], clock })
createTroupeOn(clock, { agents: [agent], leaseTtl: 1_000 })
createActor(createMachine({}), { clock })

export async function moves(): Promise<void> {
  await clock.advance(500)
  await clock.advance('1.5h')
  expectType<number>()(await clock.runUntil(Promise.resolve(1), '2d'))
  expectType<number | undefined>()(clock.nextAt)
  // @ts-expect-error no such unit
  await clock.advance('1 hour')
  // @ts-expect-error a clock has one start
  virtualClock({ start: '2000-01-01' })
  // @ts-expect-error the clock is given already
  createTroupeOn(clock, { agents: [agent], clock })
}
