/** A chosen primitive at work. It is alone: when it waits for a person, so does the agent, and its parent is told. */
import { selectionSetup } from './setup.ts'

function recorded(isHeld: boolean) {
  return {
    type: 'recordHeld' as const,
    params: ({ event }: { event: { child: string } }) => ({ child: event.child, isHeld }),
  }
}

export function working(description: string) {
  return selectionSetup.createStateConfig({
    description,
    initial: 'running',
    states: {
      running: { on: { 'child.held': { target: 'held', actions: recorded(true) } } },
      held: {
        description: 'It waits for a person.',
        entry: 'announceHeld',
        exit: 'announceReleased',
        on: { 'child.released': { target: 'running', actions: recorded(false) } },
      },
    },
  })
}
