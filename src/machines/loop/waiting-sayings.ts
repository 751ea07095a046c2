/** Messages of people that wait for a call of the model, as pure functions. */
import { event, type MachineEvent } from '../contract/events.ts'
import { mostSayings, type Saying } from '../contract/sayings.ts'
import type { LoopChange, LoopContext } from './changes/context.ts'

export function mayTakeSaying({ background }: LoopContext): boolean {
  return background.sayings.length < mostSayings
}

export function takeSaying({ background }: LoopContext, saying: Saying): LoopChange {
  return { background: { ...background, sayings: [...background.sayings, saying] } }
}

/** Moves the messages of people into the next prompt. */
export function hearSayings({ messages, background }: LoopContext): {
  readonly change: LoopChange
  readonly events: readonly MachineEvent[]
} {
  const { sayings } = background
  if (sayings.length === 0) return { change: {}, events: [] }
  const heard = sayings.map(
    ({ message, content = message }) => ({ role: 'user', content, internal: 'said' }) as const,
  )
  return {
    change: { messages: messages.append(...heard), background: { ...background, sayings: [] } },
    events: sayings.map(({ id }) => event('heard', { id })),
  }
}
