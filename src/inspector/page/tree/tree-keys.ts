/** The keys of the tree of actors. */
import type { RunModel } from '../model/run-model.ts'
import type { PartKey } from '../shared/part-keys.ts'

export const treeKeys: readonly PartKey<RunModel>[] = [
  { key: 'ArrowDown', label: 'the actor below', run: (model) => model.chooseBy(1) },
  { key: 'ArrowUp', label: 'the actor above', run: (model) => model.chooseBy(-1) },
  {
    key: ' ',
    label: 'hide or show the actors inside',
    run: (model) => model.toggle(model.path.peek()),
  },
]
