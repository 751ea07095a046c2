/**
 * Searches the entries of a run as a person types: at once in the lines that the page has, and on the server in all that they hold.
 * A hit that is chosen becomes the entry that is shown.
 */
import type { VNode } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import type { SearchHit } from '../../wire/routes.ts'
import type { Api } from '../connection/api.ts'
import { isAborted, messageOf } from '../connection/failure.ts'
import type { ShownRun } from '../connection/run-session.ts'
import type { RunModel } from '../model/run-model.ts'
import { announce } from '../shared/announcer.tsx'
import { countText, plural } from '../shared/format.ts'
import { usePage } from '../shared/page-context.ts'
import { moved } from '../shared/window-list.tsx'

/** Milliseconds without a letter until the server is asked. */
const typingPause = 250

/** The most hits in the list: a search with more is to be narrowed. */
const mostHits = 300

interface Found {
  readonly hits: readonly SearchHit[]
  readonly state: 'none' | 'searching' | 'done' | 'failed'
  readonly message?: string
}

const nothing: Found = { hits: [], state: 'none' }

export function EntrySearch({ session }: { readonly session: ShownRun }): VNode {
  const { api } = usePage()
  const id = useId()
  const model = session.model.value
  const [text, setText] = useState('')
  const [isOpen, setOpen] = useState(false)
  const [active, setActive] = useState(-1)
  const length = model.length.value
  const found = useSearch(api, session.runId, text, session.feed.value.state === 'opening' ? 0 : length)
  const hits = text.trim() === '' ? [] : joined(found.hits, model, text)
  const cursor = model.cursor.value
  const position = hits.findIndex(({ row }) => row === cursor)
  const isListed = isOpen && text.trim() !== ''
  const choose = (index: number) => {
    const hit = hits[index]
    if (hit === undefined) announce('No entry has these words.')
    else model.moveTo(hit.row)
    setActive(index)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const next =
      event.key === 'Home' || event.key === 'End' ? undefined : moved(event.key, active, hits.length, 8)
    if (event.key === 'Escape') {
      setText('')
      setOpen(false)
      if (event.currentTarget instanceof HTMLElement) event.currentTarget.blur()
    } else if (next !== undefined && isListed) choose(next)
    else if (event.key === 'Enter') choose(nextHit(hits, cursor, event.shiftKey))
    else return
    event.preventDefault()
  }
  return (
    <div
      class="search"
      role="search"
      onFocusOut={(event) => {
        if (!(event.relatedTarget instanceof Node) || !event.currentTarget.contains(event.relatedTarget))
          setOpen(false)
      }}
    >
      <input
        class="input"
        type="text"
        role="combobox"
        data-search
        placeholder="Search the entries"
        aria-label="Search the entries"
        aria-keyshortcuts="/"
        aria-expanded={isListed}
        aria-controls={`${id}-hits`}
        aria-autocomplete="list"
        aria-activedescendant={isListed && active >= 0 ? `${id}-${active}` : undefined}
        value={text}
        onFocus={() => setOpen(true)}
        onInput={(event) => {
          setText(event.currentTarget.value)
          setActive(-1)
          setOpen(true)
        }}
        onKeyDown={onKeyDown}
      />
      <span class="muted search-count">
        {text.trim() === '' ? '' : `${position < 0 ? '' : `${position + 1} of `}${countText(hits.length)}`}
      </span>
      {isListed && (
        <div class="search-hits">
          <p class="muted" role="status">
            {statusText(found, hits.length)}
          </p>
          <ul id={`${id}-hits`} role="listbox" aria-label="Entries that have the words" tabIndex={-1}>
            {hits.map((hit, index) => (
              <li
                key={hit.row}
                id={`${id}-${index}`}
                role="option"
                aria-selected={index === active}
                class={hit.row === cursor ? 'search-hit now' : 'search-hit'}
                onMouseDown={(event) => event.preventDefault()}
                onClick={() => choose(index)}
              >
                <span class="number muted">{countText(hit.row + 1)}</span>
                <span class="cut muted said">{hit.where}</span>
                <span class="said search-excerpt" dir="auto">
                  <Marked hit={hit} />
                </span>
              </li>
            ))}
          </ul>
        </div>
      )}
    </div>
  )
}

function Marked({ hit: { excerpt, marks } }: { readonly hit: SearchHit }): VNode {
  const pieces = marks.flatMap(([from, until], index) => [
    excerpt.slice(marks[index - 1]?.[1] ?? 0, from),
    <mark key={from}>{excerpt.slice(from, until)}</mark>,
  ])
  return (
    <>
      {pieces}
      {excerpt.slice(marks.at(-1)?.[1] ?? 0)}
    </>
  )
}

function statusText({ state, message = '' }: Found, count: number): string {
  if (state === 'failed') return `The entries could not be searched: ${message}`
  if (state === 'searching') return `${plural(count, 'entry')} so far …`
  return count >= mostHits ? `The first ${countText(count)} entries: add a word` : plural(count, 'entry')
}

function nextHit(hits: readonly SearchHit[], cursor: number, isBack: boolean): number {
  const next = isBack
    ? hits.findLastIndex(({ row }) => row < cursor)
    : hits.findIndex(({ row }) => row > cursor)
  return next >= 0 ? next : isBack ? hits.length - 1 : 0
}

/** The hits of the server, and those of the lines that the page has. */
function joined(found: readonly SearchHit[], model: RunModel, text: string): readonly SearchHit[] {
  const known = new Set(found.map(({ row }) => row))
  const own = model.search(text).filter((row) => !known.has(row))
  const lines = own.slice(0, mostHits).map((row): SearchHit => {
    const { kind, type, line = '' } = model.rows[row] ?? {}
    return { row, where: kind ?? type ?? '', excerpt: line, marks: [] }
  })
  return [...found, ...lines].toSorted((a, b) => a.row - b.row).slice(0, mostHits)
}

/** `length`: the number of rows; those that came since the last search are searched too. */
function useSearch(api: Api, runId: string, text: string, length: number): Found {
  const [found, set] = useState(nothing)
  const searched = useRef({ words: '', until: 0, hits: nothing.hits })
  const words = text.trim()
  useEffect(() => {
    if (searched.current.words !== words) searched.current = { words, until: 0, hits: [] }
    if (words === '' || length === 0) {
      set(nothing)
      return undefined
    }
    const leaving = new AbortController()
    const search = async (signal: AbortSignal) => {
      let { until, hits } = searched.current
      try {
        while (until < length && hits.length < mostHits) {
          set({ hits, state: 'searching' })
          const page = await api.search(runId, { text: words, from: until }, signal)
          hits = [...hits, ...page.hits.filter(({ row }) => row < length)]
          until = Math.min(length, page.next ?? length)
          searched.current = { words, until, hits }
        }
        set({ hits, state: 'done' })
      } catch (error) {
        if (!isAborted(error)) set({ hits, state: 'failed', message: messageOf(error) })
      }
    }
    const timer = setTimeout(() => void search(leaving.signal), typingPause)
    return () => {
      clearTimeout(timer)
      leaving.abort()
    }
  }, [api, runId, words, length])
  return found
}
