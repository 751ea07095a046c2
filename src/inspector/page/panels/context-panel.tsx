/** The state and the context of the chosen actor after the row that is shown. */
import type { VNode } from 'preact'
import { Json } from '../shared/json.tsx'
import type { ShownRun } from '../connection/run-session.ts'
import { AsItEnded, NotThere, useView } from './not-there.tsx'

export function ContextPanel({ session }: { readonly session: ShownRun }): VNode {
  const view = useView(session)
  if (view.state === 'failed') {
    return <NotThere session={session} subject="State and context" error={view.error} retry={view.retry} />
  }
  const { value } = view
  if (value === undefined) return <p class="empty">Loading the context …</p>
  const { path, machine, status, state, context, isCut } = value
  return (
    <div aria-busy={view.state === 'loading'}>
      <AsItEnded session={session} />
      <dl class="facts">
        <div>
          <dt>Actor</dt>
          <dd class="said">{path}</dd>
        </div>
        <div>
          <dt>Machine</dt>
          <dd class="said">{machine ?? 'none: it is no state machine'}</dd>
        </div>
        <div>
          <dt>Status</dt>
          <dd>{status}</dd>
        </div>
      </dl>
      {isCut === true && <p class="muted">Long texts and lists are cut.</p>}
      {state !== undefined && (
        <section class="block">
          <h3>State</h3>
          <Json value={state} open={4} />
        </section>
      )}
      {context === undefined ? (
        <p class="muted">This actor has no context.</p>
      ) : (
        <section class="block">
          <h3>Context</h3>
          <Json value={context} open={1} />
        </section>
      )}
    </div>
  )
}
