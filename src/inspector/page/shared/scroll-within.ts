/** Brings an element into sight within the box that scrolls it. The page around the box stays as it is: it may be anybody's. */
export function scrollWithin(element: HTMLElement | null): void {
  for (let box = element?.parentElement; box !== null && box !== undefined; box = box.parentElement) {
    const { overflowY } = getComputedStyle(box)
    if ((overflowY !== 'auto' && overflowY !== 'scroll') || box.scrollHeight <= box.clientHeight) continue
    const [inner, outer] = [element?.getBoundingClientRect(), box.getBoundingClientRect()]
    if (inner === undefined) return
    if (inner.top < outer.top) box.scrollTop -= outer.top - inner.top
    else if (inner.bottom > outer.bottom)
      box.scrollTop += Math.min(inner.bottom - outer.bottom, inner.top - outer.top)
    return
  }
}
