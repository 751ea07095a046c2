/** The bars, on a canvas of the size that is seen. */
import { useSignal } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import type { PlacedLane } from './bars.ts'
import { colourNames, draw, type Colours } from './draw.ts'
import type { Scale } from './scale.ts'

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

/** The colours of the style sheet, as a canvas takes them. */
function coloursOf(canvas: HTMLCanvasElement): Colours {
  const found = [...canvas.querySelectorAll<HTMLElement>('[data-colour]')].map((element) => [
    element.dataset['colour'],
    getComputedStyle(element).color,
  ])
  return Object.fromEntries(found) as Colours
}
