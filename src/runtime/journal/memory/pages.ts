/** Pages of what the store in memory has in the order of positions. */
import { pageOf, placeIn, type ListName, type ListPlace, type Page, type PageOptions } from '../run-index.ts'

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
  const cursor = before === undefined ? undefined : placeIn(list, before).position
  let index = isForward
    ? firstAfter(all, cursor ?? 0)
    : (cursor === undefined ? all.length : firstAfter(all, cursor - 1)) - 1
  const found: Item[] = []
  for (; index >= 0 && index < all.length && found.length <= limit; index += isForward ? 1 : -1) {
    const item = all[index]
    if (item !== undefined && read.fits?.(item) !== false) found.push(item)
  }
  return pageOf(list, found, options.limit, { item: read.item, place: ({ position }) => ({ position }) })
}

/** The page of the items by a number, the greatest first. `place`: behind which it goes on. */
export function sortedPage<Item extends Positioned, Shown>(
  list: ListName,
  chosen: readonly Item[],
  {
    limit,
    place,
    order,
  }: { readonly limit: number | undefined; readonly place: ListPlace | undefined } & Pick<
    NonNullable<ListPlace['sorted']>,
    'order'
  >,
  read: { readonly number: (item: Item) => number; readonly item: (item: Item) => Shown },
): Page<Shown> {
  const after = place?.sorted === undefined ? undefined : ([place.sorted.value, place.position] as const)
  const sorted = chosen
    .map((item) => ({ item, number: read.number(item) }))
    .filter(({ item, number }) => after === undefined || isBehind([number, item.position], after))
    .toSorted((a, b) => b.number - a.number || b.item.position - a.item.position)
  return pageOf(list, sorted, limit, {
    item: ({ item }) => read.item(item),
    place: ({ item: { position }, number }) => ({ position, sorted: { order, value: number } }),
  })
}

function isBehind([a, first]: readonly [number, number], [b, second]: readonly [number, number]): boolean {
  return a < b || (a === b && first < second)
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
