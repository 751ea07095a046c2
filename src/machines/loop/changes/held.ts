/** A child that is held waits for a person or an outside event: it gives up its place among those at work. */
import type { LoopContext } from './context.ts'

export function recordHeld({ live }: LoopContext, child: string, isHeld: boolean): Partial<LoopContext> {
  const state = live[child]
  if (state === undefined) return {}
  return { live: { ...live, [child]: (isHeld ? whenHeld : whenReleased)[state] } }
}

const whenHeld = {
  running: 'held',
  held: 'held',
  background: 'backgroundHeld',
  backgroundHeld: 'backgroundHeld',
} as const

const whenReleased = {
  running: 'running',
  held: 'running',
  background: 'background',
  backgroundHeld: 'background',
} as const
