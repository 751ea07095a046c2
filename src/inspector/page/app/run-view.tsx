/** A run: its head, its actors, the chart of one of them, the panels, and the timeline. */
import type { VNode } from 'preact'
import { useEffect, useMemo } from 'preact/hooks'
import { Chart } from '../chart/chart.tsx'
import { isNotFound } from '../connection/failure.ts'
import { RunSession } from '../connection/run-session.ts'
import { useKeyGroup } from '../keys/bindings.ts'
import { actionKeys, actorKeys, entryKeys, panelKeys } from '../keys/run-keys.ts'
import { Panels } from '../panels/panels.tsx'
import { Failed } from '../shared/failed.tsx'
import { Link } from '../shared/link.tsx'
import { refusalOf, usePage } from '../shared/page-context.ts'
import type { RunPlace } from '../shared/router.ts'
import { Timeline } from '../timeline/timeline.tsx'
import { Tree } from '../tree/tree.tsx'
import { Notices } from './notices.tsx'
import { Questions } from './questions.tsx'
import { RunHead } from './run-head.tsx'
import { Transport } from './transport.tsx'
import { useAddress } from './use-address.ts'

export function RunView({ current }: { readonly current: RunPlace }): VNode {
  const { api, service } = usePage()
  const session = useMemo(() => new RunSession(api, current.runId), [api, current.runId])
  useEffect(() => () => session.close(), [session])
  useAddress(session)
  const model = session.model.value
  const signal = refusalOf(service, 'signal')
  const fork = refusalOf(service, 'fork')
  useKeyGroup(() => entryKeys(session), [session, model])
  useKeyGroup(() => actorKeys(session), [session, model])
  useKeyGroup(panelKeys, [])
  useKeyGroup(() => actionKeys(session, { signal, fork }), [session, signal, fork])

  const feed = session.feed.value
  if (feed.state === 'refused') return <Refused error={feed.error} />
  return (
    <div class="run">
      <RunHead session={session} />
      <Notices session={session} />
      <div class="run-body">
        <div class="run-side">
          <Questions session={session} />
          <Tree model={model} />
        </div>
        <Chart model={model} />
        <Panels session={session} current={current} />
      </div>
      <div class="run-time">
        <Transport session={session} />
        <Timeline model={model} />
      </div>
    </div>
  )
}

function Refused({ error }: { readonly error: unknown }): VNode {
  return isNotFound(error) ? (
    <div class="empty">
      <h1>There is no such run</h1>
      <p>
        It was deleted, or it is in another store. Go on with{' '}
        <Link to={{ view: 'runs' }}>the list of runs</Link>.
      </p>
    </div>
  ) : (
    <Failed subject="The run" error={error} />
  )
}
