/**
 * A list of which the visible rows alone are elements: each row has the same height, so that the others are a space above
 * and below. One row is the active one; the arrow keys move it, and Enter opens it.
 */
import type { VNode } from 'preact'
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks'

export interface WindowListProps<Item> {
  readonly label: string
  readonly items: readonly Item[]
  readonly keyOf: (item: Item) => string | number
  /** The cells of a row. */
  readonly draw: (item: Item, index: number) => VNode
  /** The names of the columns: they stay in sight. */
  readonly head?: { readonly row: VNode; readonly height: number }
  readonly rowHeight: number
  /** Position of the active row; -1: there is none. */
  readonly active: number
  readonly onActive: (index: number) => void
  readonly onOpen: (item: Item) => void
  /** The last rows are in sight. */
  readonly onEnd?: () => void
  /** The active row stays in sight when it changes. */
  readonly isFollowing?: boolean
}

/** Rows beyond the edges, so that a short scroll shows no gap. */
const overscan = 8

export function WindowList<Item>(props: WindowListProps<Item>): VNode {
  const { label, items, keyOf, draw, head, rowHeight, active, onActive, onOpen, onEnd } = props
  const scroller = useRef<HTMLDivElement>(null)
  const id = useId()
  const [top, setTop] = useState(0)
  const height = Math.max(0, useHeight(scroller) - (head?.height ?? 0))
  const first = Math.max(0, Math.floor(top / rowHeight) - overscan)
  const last = Math.min(items.length, Math.ceil((top + height) / rowHeight) + overscan)
  const isAtEnd = last >= items.length

  useEffect(() => {
    if (isAtEnd) onEnd?.()
  }, [isAtEnd, items.length])
  useLayoutEffect(() => {
    if (props.isFollowing !== false && scroller.current !== null)
      reveal(scroller.current, active, rowHeight, height)
  }, [active, height === 0])

  // Keys may come faster than the list is drawn.
  const present = useRef(active)
  present.current = active
  const onKeyDown = (event: KeyboardEvent) => {
    const page = Math.max(1, Math.floor(height / rowHeight) - 1)
    const next = moved(event.key, present.current, items.length, page)
    const item = items[present.current]
    if (next !== undefined) {
      present.current = next
      onActive(next)
    } else if (event.key === 'Enter' && item !== undefined) onOpen(item)
    else return
    event.preventDefault()
  }

  return (
    <div
      ref={scroller}
      class="window-list"
      role="grid"
      aria-label={label}
      aria-rowcount={items.length + (head ? 1 : 0)}
      tabIndex={0}
      aria-activedescendant={items[active] === undefined ? undefined : `${id}-${active}`}
      onKeyDown={onKeyDown}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
    >
      {head?.row}
      <div role="rowgroup">
        <div role="presentation" style={{ height: `${first * rowHeight}px` }} />
        {items.slice(first, last).map((item, offset) => (
          <div
            key={keyOf(item)}
            id={`${id}-${first + offset}`}
            role="row"
            aria-rowindex={first + offset + (head ? 2 : 1)}
            aria-selected={first + offset === active}
            class="window-row"
            style={{ height: `${rowHeight}px` }}
            onClick={() => {
              onActive(first + offset)
              onOpen(item)
            }}
          >
            {draw(item, first + offset)}
          </div>
        ))}
        <div role="presentation" style={{ height: `${(items.length - last) * rowHeight}px` }} />
      </div>
    </div>
  )
}

/** The row that a key leads to; `undefined`: the key moves nothing. */
export function moved(key: string, active: number, length: number, page: number): number | undefined {
  const steps: Readonly<Record<string, number>> = {
    ArrowDown: 1,
    ArrowUp: -1,
    PageDown: page,
    PageUp: -page,
    Home: -Infinity,
    End: Infinity,
  }
  const step = Object.hasOwn(steps, key) ? steps[key] : undefined
  if (step === undefined || length === 0) return undefined
  return Math.min(length - 1, Math.max(0, Math.max(active, step < 0 ? 0 : -1) + step))
}

function reveal(scroller: HTMLElement, index: number, rowHeight: number, height: number): void {
  if (index < 0 || height === 0) return
  const [above, below] = [index * rowHeight, (index + 1) * rowHeight - height]
  if (scroller.scrollTop > above) scroller.scrollTop = above
  else if (scroller.scrollTop < below) scroller.scrollTop = below
}

function useHeight(element: { readonly current: HTMLElement | null }): number {
  const [height, setHeight] = useState(0)
  useLayoutEffect(() => {
    const { current } = element
    if (current === null) return undefined
    const observer = new ResizeObserver(() => setHeight(current.clientHeight))
    observer.observe(current)
    setHeight(current.clientHeight)
    return () => observer.disconnect()
  }, [])
  return height
}
