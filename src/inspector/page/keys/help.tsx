/** The keys of the present view. */
import type { VNode } from 'preact'
import { Dialog } from '../actions/dialog.tsx'
import { openDialog } from '../actions/open-dialog.ts'
import { place } from '../shared/router.ts'
import { keyGroups, useKeyGroup } from './bindings.ts'
import { partKeysOf } from './part-keys.ts'

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
