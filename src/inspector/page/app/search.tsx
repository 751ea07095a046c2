/** Searches the entries of a run: Enter leads to the next one, Shift-Enter to the one before. */
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import type { RunModel } from '../model/run-model.ts'
import { announce } from '../shared/announcer.tsx'
import { countText } from '../shared/format.ts'

export function Search({ model }: { readonly model: RunModel }): VNode {
  const [text, setText] = useState('')
  const length = model.length.value
  const hits = text.trim() === '' || length === 0 ? [] : model.search(text)
  const cursor = model.cursor.value
  const position = hits.indexOf(cursor)
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') {
      setText('')
      if (event.currentTarget instanceof HTMLElement) event.currentTarget.blur()
    }
    if (event.key !== 'Enter') return
    event.preventDefault()
    const next = event.shiftKey
      ? (hits.findLast((row) => row < cursor) ?? hits.at(-1))
      : (hits.find((row) => row > cursor) ?? hits[0])
    if (next === undefined) announce('No entry has these words.')
    else model.moveTo(next)
  }
  return (
    <div class="search" role="search">
      <input
        class="input"
        type="search"
        data-search
        placeholder="Search the entries"
        aria-label="Search the entries"
        aria-keyshortcuts="/"
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <span class="muted search-count">
        {text.trim() === '' ? '' : `${position < 0 ? '' : `${position + 1} of `}${countText(hits.length)}`}
      </span>
    </div>
  )
}
