/**
 * The place that the page shows, as its address has it: `/`, `/inbox`, `/health`, `/runs/<id>` for the summary of a run, and
 * `/runs/<id>?row=23&path=lead/…&tab=entry` for its details.
 */
import { signal } from '@preact/signals'

export const tabs = ['entry', 'messages', 'events', 'context', 'why', 'compare'] as const
export type Tab = (typeof tabs)[number]

/** What is shown of a run: its summary, all that was said, or its details with one of the panels. */
export type RunTab = 'summary' | 'thread' | Tab

/** A place in the page. */
export type Place =
  | { readonly view: 'runs' | 'inbox' | 'health' }
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

export function placeOf(address: string): Place {
  const { pathname, searchParams } = new URL(address, 'http://page')
  if (pathname === '/') return { view: 'runs' }
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

export function addressOf(place: Place): string {
  if (place.view === 'unknown') return place.address
  if (place.view !== 'run') return place.view === 'runs' ? '/' : `/${place.view}`
  const { runId, row, path, tab, other } = place
  const query = new URLSearchParams()
  if (row !== undefined) query.set('row', String(row))
  if (path !== undefined) query.set('path', path)
  if (tab !== usualTab(place)) query.set('tab', tab)
  if (other !== undefined) query.set('other', other)
  const text = query.toString().replaceAll('%2F', '/')
  return `/runs/${encodeURIComponent(runId)}${text === '' ? '' : `?${text}`}`
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
  return () => removeEventListener('popstate', read)
}
