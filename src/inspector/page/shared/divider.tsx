/** A border of the part that it stands in: a pointer drags it and arrow keys move it, and the part gets another width. */
import type { Signal } from '@preact/signals'
import type { RefObject, VNode } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'

interface DividerProps {
  /** Names the part. */
  readonly label: string
  /** Pixels. `undefined`: as wide as the part is by itself. */
  readonly width: Signal<number | undefined>
  readonly least: number
  readonly most: number
  /** The border is at the left of the part, which grows as it goes to the left. */
  readonly isLeft?: boolean
}

/** Pixels of an arrow key. */
const step = 16

export function Divider({ label, width, least, most, isLeft = false }: DividerProps): VNode {
  const ref = useRef<HTMLDivElement>(null)
  const measured = useParentWidth(ref)
  const sign = isLeft ? -1 : 1
  const moveBy = (pixels: number): void => {
    const next = (width.peek() ?? measured) + sign * pixels
    width.value = Math.round(Math.min(most, Math.max(least, next)))
  }
  return (
    <div
      ref={ref}
      class="divider"
      role="separator"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label={label}
      aria-valuemin={least}
      aria-valuemax={most}
      aria-valuenow={Math.min(most, Math.max(least, measured))}
      onPointerDown={(event) => {
        event.preventDefault()
        event.currentTarget.setPointerCapture(event.pointerId)
      }}
      onPointerMove={(event) => {
        if (event.currentTarget.hasPointerCapture(event.pointerId)) moveBy(event.movementX)
      }}
      onKeyDown={(event) => {
        const pixels = event.key === 'ArrowRight' ? step : event.key === 'ArrowLeft' ? -step : undefined
        if (pixels === undefined) return
        event.preventDefault()
        event.stopPropagation()
        moveBy(pixels)
      }}
    />
  )
}

function useParentWidth(ref: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    const parent = ref.current?.parentElement
    if (parent === null || parent === undefined) return undefined
    const read = (): void => setWidth(parent.offsetWidth)
    read()
    const observer = new ResizeObserver(read)
    observer.observe(parent)
    return () => observer.disconnect()
  }, [ref])
  return width
}
