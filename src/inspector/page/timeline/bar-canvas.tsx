/** The bars, on a canvas of the size that is seen. */
import type { EffectKind } from '../../../kit/host.ts'
import { useSignal } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { boxOf, firstUntil, slotsSeen, type PlacedLane } from './bars.ts'
import type { Scale } from './scale.ts'
import type { Bar } from '../model/lanes.ts'

interface CanvasProps {
  readonly lanes: readonly PlacedLane[]
  readonly scale: Scale
  readonly width: number
  readonly height: number
  readonly scrolled: number
}

export function BarCanvas({ lanes, scale, width, height, scrolled }: CanvasProps) {
  const ref = useRef<HTMLCanvasElement>(null)
  const scheme = useSignal(0)
  useEffect(() => {
    const dark = matchMedia('(prefers-color-scheme: dark)')
    const changed = (): void => void scheme.value++
    dark.addEventListener('change', changed)
    return () => dark.removeEventListener('change', changed)
  }, [scheme])
  const version = scheme.value
  useLayoutEffect(() => {
    const canvas = ref.current
    const context = canvas?.getContext('2d')
    if (!canvas || !context || width === 0) return
    const ratio = devicePixelRatio
    canvas.width = Math.round(width * ratio)
    canvas.height = Math.round(height * ratio)
    context.scale(ratio, ratio)
    draw(context, { lanes, scale, width, height, scrolled, colours: coloursOf(canvas) })
  }, [lanes, scale, width, height, scrolled, version])
  return (
    <canvas ref={ref} class="bars" style={{ width: `${width}px`, height: `${height}px` }} aria-hidden="true">
      {[...colourNames, 'line'].map((name) => (
        <span key={name} data-colour={name} class={`colour ${name}`} />
      ))}
    </canvas>
  )
}

/** The groups of kinds that have a colour. */
const colourNames = ['model', 'tool', 'hook', 'scorer', 'signal', 'other', 'failed'] as const

type ColourName = (typeof colourNames)[number]

export type Colours = Readonly<Record<ColourName | 'line', string>>

interface Drawing {
  readonly lanes: readonly PlacedLane[]
  readonly scale: Scale
  /** Pixels that are seen. */
  readonly width: number
  readonly height: number
  /** The pixels of the lanes above those that are seen. */
  readonly scrolled: number
  readonly colours: Colours
}

/** Draws the bars that are seen. */
export function draw(context: CanvasRenderingContext2D, drawing: Drawing): void {
  const { lanes, scale, width, height, scrolled, colours } = drawing
  context.clearRect(0, 0, width, height)
  for (const placed of lanes) {
    const top = placed.top - scrolled
    if (top > height || top + placed.height < 0) continue
    context.fillStyle = colours.line
    context.fillRect(0, top + placed.height - 1, width, 1)
    const seen = { ...placed, top }
    for (const slot of placed.lane.slots.slice(...slotsSeen(seen, height)))
      drawSlot(context, slot, seen, { scale, width, colours })
  }
}

function drawSlot(
  context: CanvasRenderingContext2D,
  slot: readonly Bar[],
  lane: PlacedLane,
  { scale, width, colours }: Pick<Drawing, 'scale' | 'width' | 'colours'>,
): void {
  let drawn = -Infinity
  for (let at = firstUntil(slot, scale.rowAt(0) - 1); at < slot.length; at++) {
    const bar = slot[at]
    if (bar === undefined) return
    const box = boxOf(bar, lane, scale)
    if (box.x > width) return
    // A bar that the one before it covers would not be seen, unless it has failed.
    const colour = colourOf(bar)
    if (box.x + box.width <= drawn && colour !== 'failed') continue
    drawn = box.x + box.width
    drawBar(context, { ...box, width: Math.min(box.width, width + 10 - box.x) }, colours[colour], bar.kind)
  }
}

/** A question is open, not at work: it is drawn as a frame. A timer is a line. */
function drawBar(
  context: CanvasRenderingContext2D,
  {
    x,
    y,
    width,
    height,
  }: { readonly x: number; readonly y: number; readonly width: number; readonly height: number },
  colour: string,
  kind: EffectKind,
): void {
  context.fillStyle = colour
  if (kind === 'timer') context.fillRect(x, y + height / 2 - 1, width, 2)
  else if (kind !== 'signal' || width < 4) context.fillRect(x, y, width, height)
  else {
    context.strokeStyle = colour
    context.strokeRect(x + 0.5, y + 0.5, width - 1, height - 1)
  }
}

function colourOf({ kind, status }: Bar): ColourName {
  if (status === 'error') return 'failed'
  return kind === 'model' || kind === 'tool' || kind === 'hook' || kind === 'scorer' || kind === 'signal'
    ? kind
    : 'other'
}

/** The colours of the style sheet, as a canvas takes them. */
function coloursOf(canvas: HTMLCanvasElement): Colours {
  const found = [...canvas.querySelectorAll<HTMLElement>('[data-colour]')].map((element) => [
    element.dataset['colour'],
    getComputedStyle(element).color,
  ])
  return Object.fromEntries(found) as Colours
}
