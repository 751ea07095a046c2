/** Pages of what the store in memory has in the order of positions. */
import { pageOf, positionOf, type ListName, type Page, type PageOptions } from '../run-index.ts'

interface Positioned {
  readonly position: number
}

/** The page of the items that fit. `all`: in the order of their positions. */
export function pageIn<Item extends Positioned, Shown>(
  list: ListName,
  all: readonly Item[],
  options: PageOptions,
  read: { readonly fits?: (item: Item) => boolean; readonly item: (item: Item) => Shown },
): Page<Shown> {
  const { limit = Number.POSITIVE_INFINITY, before, order = 'oldest' } = options
  const isForward = order === 'oldest'
  const cursor = before === undefined ? undefined : positionOf(list, before)
  let index = isForward
    ? firstAfter(all, cursor ?? 0)
    : (cursor === undefined ? all.length : firstAfter(all, cursor - 1)) - 1
  const found: Item[] = []
  for (; index >= 0 && index < all.length && found.length <= limit; index += isForward ? 1 : -1) {
    const item = all[index]
    if (item !== undefined && read.fits?.(item) !== false) found.push(item)
  }
  return pageOf(list, found, options.limit, { item: read.item, position: ({ position }) => position })
}

/** The index of the first item beyond a position. */
export function firstAfter(all: readonly Positioned[], position: number): number {
  let [low, high] = [0, all.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((all[middle]?.position ?? 0) > position) high = middle
    else low = middle + 1
  }
  return low
}
