/**
 * The place that the page shows, as its address has it: `/?find=outcome:failed&order=costliest`, `/inbox`, `/health`, `/runs/<id>` for the summary of a run, and
 * `/runs/<id>?row=23&path=lead/…&tab=entry` for its details.
 */
import { effect, signal } from '@preact/signals'

export const tabs = ['entry', 'messages', 'events', 'context', 'why', 'compare'] as const
export type Tab = (typeof tabs)[number]

/** What is shown of a run: its summary, all that was said, or its details with one of the panels. */
export type RunTab = 'summary' | 'thread' | Tab

/** A place in the page. */
export type Place =
  | {
      readonly view: 'runs'
      /** The text of the filter; absent: all runs. */
      readonly find?: string
      /** Absent: the newest first. */
      readonly order?: string
    }
  | { readonly view: 'inbox' | 'health' }
  | {
      readonly view: 'run'
      readonly runId: string
      /** Position of the chosen row; absent: the last row, as it arrives. */
      readonly row?: number
      /** The chosen actor; absent: that of the chosen row. */
      readonly path?: string
      readonly tab: RunTab
      /** The run that is compared with this one. */
      readonly other?: string
    }
  | { readonly view: 'unknown'; readonly address: string }

export type RunPlace = Extract<Place, { view: 'run' }>
export type RunsPlace = Extract<Place, { view: 'runs' }>

export function placeOf(address: string): Place {
  const { pathname, searchParams } = new URL(address, 'http://page')
  if (pathname === '/') return runsPlaceOf(searchParams)
  if (pathname === '/inbox') return { view: 'inbox' }
  if (pathname === '/health') return { view: 'health' }
  const [, encoded] = /^\/runs\/([^/]+)$/.exec(pathname) ?? []
  const runId = encoded === undefined ? undefined : decoded(encoded)
  if (runId === undefined) return { view: 'unknown', address }
  const row = rowOf(searchParams.get('row'))
  const path = searchParams.get('path') || undefined
  const other = searchParams.get('other') || undefined
  return {
    view: 'run',
    runId,
    tab: tabIn(searchParams.get('tab')) ?? usualTab({ row, path, other }),
    ...(row === undefined ? {} : { row }),
    ...(path === undefined ? {} : { path }),
    ...(other === undefined ? {} : { other }),
  }
}

function runsPlaceOf(query: URLSearchParams): RunsPlace {
  const [find, order] = [query.get('find') || undefined, query.get('order') || undefined]
  return { view: 'runs', ...(find === undefined ? {} : { find }), ...(order === undefined ? {} : { order }) }
}

export function addressOf(place: Place): string {
  if (place.view === 'unknown') return place.address
  if (place.view === 'runs') return runsAddress(place)
  if (place.view !== 'run') return `/${place.view}`
  const { runId, row, path, tab, other } = place
  const query = new URLSearchParams()
  if (row !== undefined) query.set('row', String(row))
  if (path !== undefined) query.set('path', path)
  if (tab !== usualTab(place)) query.set('tab', tab)
  if (other !== undefined) query.set('other', other)
  const text = query.toString().replaceAll('%2F', '/')
  return `/runs/${encodeURIComponent(runId)}${text === '' ? '' : `?${text}`}`
}

function runsAddress({ find = '', order }: RunsPlace): string {
  const query = new URLSearchParams()
  if (find !== '') query.set('find', find)
  if (order !== undefined) query.set('order', order)
  const text = query.toString().replaceAll('%3A', ':')
  return text === '' ? '/' : `/?${text}`
}

function tabIn(text: string | null): RunTab | undefined {
  return text === 'summary' || text === 'thread' ? text : tabs.find((tab) => tab === text)
}

/** An address that names a part of a run shows that part. */
function usualTab({ row, path, other }: Partial<Pick<RunPlace, 'row' | 'path' | 'other'>>): RunTab {
  return row === undefined && path === undefined && other === undefined ? 'summary' : 'entry'
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined // an address that was written by hand
  }
}

function rowOf(text: string | null): number | undefined {
  return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : undefined
}

/** The place that the page shows. */
export const place = signal<Place>({ view: 'runs' })

/** The list of runs as it was shown last, with its filter and its order. */
export const runsPlace = signal<RunsPlace>({ view: 'runs' })

/** Shows another place; the browser's back button leads to the present one. */
export function goTo(next: Place): void {
  history.pushState(null, '', addressOf(next))
  place.value = next
}

/** Changes the address of the present place; browsers limit how often that may happen, and a key may repeat. */
export function replacePlace(next: Place): void {
  place.value = next
  clearTimeout(pending)
  pending = setTimeout(() => history.replaceState(null, '', addressOf(place.peek())), 150)
}
let pending: ReturnType<typeof setTimeout> | undefined

/** Shows the summary or a panel of the run. */
export function showTab(tab: RunTab): void {
  const current = place.peek()
  if (current.view === 'run') replacePlace({ ...current, tab })
}

/** Follows the address of the page, from now on. */
export function followAddress(): () => void {
  const read = () => {
    clearTimeout(pending)
    place.value = placeOf(location.pathname + location.search)
  }
  read()
  addEventListener('popstate', read)
  const stopNoting = effect(() => {
    if (place.value.view === 'runs') runsPlace.value = place.value
  })
  return () => {
    removeEventListener('popstate', read)
    stopNoting()
  }
}
