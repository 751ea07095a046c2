/** A chosen primitive at work. It is alone: when it waits for a person, so does the agent, and its parent is told. */
import { selectionSetup } from './setup.ts'

export function working(description: string) {
  return selectionSetup.createStateConfig({
    description,
    initial: 'running',
    states: {
      running: { on: { 'child.held': 'held' } },
      held: {
        description: 'It waits for a person.',
        entry: 'announceHeld',
        exit: 'announceReleased',
        on: { 'child.released': 'running' },
      },
    },
  })
}
