/** A held child waits for a signal: it gives up its place in the window. */
import type { LoopChange, Live, LoopContext } from './context.ts'

export function recordHeld({ live, background }: LoopContext, child: string, isHeld: boolean): LoopChange {
  if (live[child] !== undefined) return { live: marked(live, child, isHeld) }
  if (background.live[child] === undefined) return {}
  return { background: { ...background, live: marked(background.live, child, isHeld) } }
}

function marked(live: Live, child: string, isHeld: boolean): Live {
  return { ...live, [child]: isHeld ? 'held' : 'running' }
}
