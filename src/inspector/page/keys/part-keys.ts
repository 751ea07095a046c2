/** The keys that parts of a view have while they have the focus, for the page of keys: the parts listen to them. */
import { treeKeys } from '../tree/tree-keys.ts'
import { axisKeys } from '../timeline/axis-keys.ts'
import type { Place } from '../shared/router.ts'

/** Keys of a part, as the page of keys lists them. */
interface PartKeys {
  readonly title: string
  readonly bindings: readonly { readonly keys: readonly string[]; readonly label: string }[]
}

const list: PartKeys = {
  title: 'In a list',
  bindings: [
    { keys: ['ArrowUp', 'ArrowDown'], label: 'the row above, below' },
    { keys: ['PageUp', 'PageDown'], label: 'a page up, down' },
    { keys: ['Home', 'End'], label: 'the first row, the last' },
    { keys: ['Enter'], label: 'open the row' },
  ],
}

const dialog: PartKeys = {
  title: 'In a dialog',
  bindings: [{ keys: ['Escape'], label: 'close it, and send nothing' }],
}

const ofRun: readonly PartKeys[] = [
  { title: 'In the tree of actors', bindings: listed(treeKeys) },
  {
    title: 'In the chart',
    bindings: [
      { keys: ['Tab'], label: 'the next state' },
      { keys: ['Enter', ' '], label: 'look into the state' },
    ],
  },
  { title: 'On the axis of the timeline', bindings: listed(axisKeys) },
  {
    title: 'On the tabs',
    bindings: [{ keys: ['ArrowLeft', 'ArrowRight'], label: 'the panel before, next' }],
  },
  { ...list, title: 'In the list of events' },
]

export function partKeysOf(view: Place['view']): readonly PartKeys[] {
  if (view === 'run') return [...ofRun, dialog]
  return view === 'runs' ? [list, dialog] : [dialog]
}

function listed(keys: readonly { readonly key: string; readonly label: string }[]): PartKeys['bindings'] {
  return keys.map(({ key, label }) => ({ keys: [key], label }))
}
