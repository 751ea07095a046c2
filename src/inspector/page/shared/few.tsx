/** The first parts of a list, and a button that shows the others: an entry may have led to thousands. */
import type { ComponentChildren, VNode } from 'preact'
import { useState } from 'preact/hooks'
import { plural } from './format.ts'

interface FewProps<Item> {
  readonly items: readonly Item[]
  readonly most: number
  /** What one item is, for the button. */
  readonly word: string
  readonly children: (items: readonly Item[]) => ComponentChildren
}

export function Few<Item>({ items, most, word, children }: FewProps<Item>): VNode {
  const [isWhole, setWhole] = useState(false)
  const shown = isWhole ? items : items.slice(0, most)
  return (
    <>
      {children(shown)}
      {shown.length < items.length && (
        <button type="button" class="button more" onClick={() => setWhole(true)}>
          Show all {plural(items.length, word)}
        </button>
      )}
    </>
  )
}
