/** The keys of the page: each view has its own, and some work everywhere. */
import { signal } from '@preact/signals'
import { useLayoutEffect } from 'preact/hooks'

/** What a key does. */
export interface Binding {
  /** As `KeyboardEvent.key`, with `Shift+` before the name of a key that has no other letter under Shift. */
  readonly keys: readonly string[]
  readonly label: string
  readonly run: () => void
}

/** Keys that stand together in the help. */
export interface KeyGroup {
  readonly title: string
  readonly bindings: readonly Binding[]
}

/** The groups of the views that are shown. */
export const keyGroups = signal<readonly KeyGroup[]>([])

/** Adds the keys of a view while it is shown. `changes`: the values that the group depends on. */
export function useKeyGroup(group: () => KeyGroup | undefined, changes: readonly unknown[]): void {
  useLayoutEffect(() => {
    const added = group()
    if (added === undefined) return undefined
    keyGroups.value = [...keyGroups.peek(), added]
    return () => {
      keyGroups.value = keyGroups.peek().filter((known) => known !== added)
    }
  }, changes)
}

/** Listens to the keys of the page, from now on. */
export function listenToKeys(): () => void {
  const onKeyDown = (event: KeyboardEvent) => {
    const binding = isForPage(event) ? bindingOf(nameOf(event)) : undefined
    if (binding === undefined) return
    event.preventDefault()
    binding.run()
  }
  addEventListener('keydown', onKeyDown)
  return () => removeEventListener('keydown', onKeyDown)
}

function bindingOf(key: string): Binding | undefined {
  return keyGroups
    .peek()
    .flatMap(({ bindings }) => bindings)
    .find(({ keys }) => keys.includes(key))
}

function nameOf({ key, shiftKey }: KeyboardEvent): string {
  return shiftKey && key.length > 1 ? `Shift+${key}` : key
}

/** Whether a key is meant for the page, and not for a field, a dialog or a control that has the focus. */
function isForPage(event: KeyboardEvent): boolean {
  const { target, key, ctrlKey, metaKey, altKey } = event
  if (event.defaultPrevented || ctrlKey || metaKey || altKey) return false
  if (!(target instanceof Element)) return true
  if (target.closest('dialog') !== null) return false
  if (key === 'Enter' || key === ' ') return target.closest('a, button, summary, input, select') === null
  if (target instanceof HTMLInputElement && target.type === 'range') return !movesSlider(key)
  return target.closest('input:not([type=checkbox], [type=radio], [type=range]), textarea, select') === null
}

function movesSlider(key: string): boolean {
  return /^(Arrow|Home|End|Page)/.test(key)
}
