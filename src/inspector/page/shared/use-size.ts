/** The size of an element, followed as it changes. */
import { useLayoutEffect, useState } from 'preact/hooks'
import type { RefObject } from 'preact'

export interface ElementSize {
  readonly width: number
  readonly height: number
}

/** In pixels, without borders and scroll bars; zero before the element is shown. */
export function useSize(ref: RefObject<HTMLElement | null>): ElementSize {
  const [size, setSize] = useState<ElementSize>({ width: 0, height: 0 })
  useLayoutEffect(() => {
    const element = ref.current
    if (element === null) return
    const read = (): void => {
      const { clientWidth: width, clientHeight: height } = element
      setSize((last) => (last.width === width && last.height === height ? last : { width, height }))
    }
    read()
    const observer = new ResizeObserver(read)
    observer.observe(element)
    return () => observer.disconnect()
  }, [ref])
  return size
}
