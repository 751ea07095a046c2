/** The `list` of a store whose pages of one list go through a function. */
import type { Page, Store, StoreListName, StoreLists } from 'troupe'

export function listing<Name extends StoreListName>(
  store: Pick<Store, 'list'>,
  name: Name,
  through: (
    read: () => Promise<Page<StoreLists[Name]['item']>>,
    filter: StoreLists[Name]['filter'],
  ) => Promise<Page<StoreLists[Name]['item']>>,
): Store['list'] {
  const list = (asked: StoreListName, filter: never): Promise<Page<unknown>> =>
    asked === name ? through(() => store.list(name, filter), filter) : store.list(asked, filter)
  return list as Store['list']
}
