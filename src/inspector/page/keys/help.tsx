/** The keys of the present view. */
import type { VNode } from 'preact'
import { Dialog } from '../actions/dialog.tsx'
import { openDialog } from '../actions/open-dialog.ts'
import { place, type Place } from '../shared/router.ts'
import { keyGroups, useKeyGroup } from './bindings.ts'
import { treeKeys } from '../tree/tree.tsx'
import { axisKeys } from '../timeline/axis.tsx'

export function useHelpKey(): void {
  useKeyGroup(
    () => ({
      title: 'Everywhere',
      bindings: [
        { keys: ['?'], label: 'these keys', run: () => (openDialog.value = { type: 'keys' }) },
        { keys: ['/'], label: 'search or filter', run: focusSearch },
      ],
    }),
    [],
  )
}

function focusSearch(): void {
  const field = document.querySelector<HTMLInputElement>('[data-search]')
  field?.focus()
  field?.select()
}

export function KeyHelp(): VNode | null {
  if (openDialog.value?.type !== 'keys') return null
  return (
    <Dialog title="Keys" isWide>
      <div class="key-groups">
        {[...keyGroups.value, ...partKeysOf(place.value.view)].map(({ title, bindings }) => (
          <section key={title}>
            <h3>{title}</h3>
            <dl class="key-list">
              {bindings.map(({ keys, label }) => (
                <div key={label}>
                  <dt>
                    {keys.map((key) => (
                      <kbd key={key}>{shownKey(key)}</kbd>
                    ))}
                  </dt>
                  <dd>{label}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  )
}

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

/** The keys that parts of a view have while they have the focus, for the page of keys: the parts listen to them. */
function partKeysOf(view: Place['view']): readonly PartKeys[] {
  if (view === 'run') return [...ofRun, dialog]
  return view === 'runs' ? [list, dialog] : [dialog]
}

function listed(keys: readonly { readonly key: string; readonly label: string }[]): PartKeys['bindings'] {
  return keys.map(({ key, label }) => ({ keys: [key], label }))
}

const signs: Readonly<Record<string, string>> = {
  ArrowLeft: '←',
  ArrowRight: '→',
  ArrowUp: '↑',
  ArrowDown: '↓',
  ' ': 'Space',
}

function shownKey(key: string): string {
  if (key === '+') return key
  return key
    .split('+')
    .map((part) => (Object.hasOwn(signs, part) ? (signs[part] ?? part) : part))
    .join(' ')
}
