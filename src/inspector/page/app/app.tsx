/** The frame of the page: its head, and the view of the present place. */
import { useEffect } from 'preact/hooks'
import type { VNode } from 'preact'
import type { Api } from '../connection/api.ts'
import { Announcer } from '../shared/announcer.tsx'
import { Link } from '../shared/link.tsx'
import { followAddress, place } from '../shared/router.ts'

export function App({ api }: { readonly api: Api | undefined }): VNode {
  useEffect(followAddress, [])
  if (api === undefined) return <WithoutToken />
  const { view } = place.value
  return (
    <div class="app">
      <header class="top">
        <span class="brand">troupe</span>
        <nav aria-label="Views">
          <Link to={{ view: 'runs' }} isCurrent={view !== 'inbox'}>
            Runs
          </Link>
          <Link to={{ view: 'inbox' }} isCurrent={view === 'inbox'}>
            Inbox
          </Link>
        </nav>
      </header>
      <div />
      <main class="content">{place.value.view}</main>
      <Announcer />
    </div>
  )
}

function WithoutToken(): VNode {
  return (
    <main class="empty">
      <h1>This address has no token</h1>
      <p>
        Open the address that the inspector has printed when it started. It ends with <code>#t=…</code>.
      </p>
    </main>
  )
}
