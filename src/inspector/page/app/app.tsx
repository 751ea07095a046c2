/** The frame of the page: its head, and the view of the present place. */
import type { VNode } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { Dialogs } from '../actions/dialogs.tsx'
import { openDialog } from '../actions/open-dialog.ts'
import type { Api } from '../connection/api.ts'
import { isUnauthorized } from '../connection/failure.ts'
import { listenToKeys, useKeyGroup } from '../keys/bindings.ts'
import { KeyHelp, useHelpKey } from '../keys/help.tsx'
import { inboxKeys, placeKeys, runsKeys } from '../keys/list-keys.ts'
import { HealthView } from '../list/health-view.tsx'
import { InboxView } from '../list/inbox-view.tsx'
import { QuestionList } from '../list/question-list.ts'
import { RunsView } from '../list/runs-view.tsx'
import { Announcer } from '../shared/announcer.tsx'
import { Failed } from '../shared/failed.tsx'
import { Link } from '../shared/link.tsx'
import { PageProvider } from '../shared/page-context.ts'
import { followAddress, place, runsPlace } from '../shared/router.ts'
import { RunView } from './run-view.tsx'
import type { ServiceInfo } from '../../wire/routes.ts'
import { repeat } from '../connection/repeat.ts'

export function App({ api }: { readonly api: Api | undefined }): VNode {
  return api === undefined ? <WithoutToken /> : <Page api={api} />
}

function Page({ api }: { readonly api: Api }): VNode {
  useEffect(followAddress, [])
  useEffect(listenToKeys, [])
  const { info, error } = useService(api)
  const questions = useMemo(() => new QuestionList(api), [api])
  useEffect(() => () => questions.close(), [questions])
  useHelpKey()
  useKeyGroup(placeKeys, [])
  const { view } = place.value
  const waiting = questions.questions.value.length
  return (
    <PageProvider.Provider value={{ api, service: info }}>
      <div class="app">
        <header class="top">
          <span class="brand">troupe</span>
          <nav aria-label="Views">
            <Link to={runsPlace.value} isCurrent={view === 'runs'}>
              Runs
            </Link>
            <Link to={{ view: 'inbox' }} isCurrent={view === 'inbox'}>
              Inbox{' '}
              {waiting > 0 && (
                <span class="count">
                  {waiting}
                  {questions.hasMore.value && '+'} <span class="unseen">open questions</span>
                </span>
              )}
            </Link>
            <Link to={{ view: 'health' }} isCurrent={view === 'health'}>
              Health
            </Link>
          </nav>
          <span class="store cut said">
            {info === undefined ? '' : [info.engine, info.title].filter((part) => part !== '').join(' · ')}
          </span>
          <button
            type="button"
            class="button plain"
            aria-keyshortcuts="?"
            onClick={() => (openDialog.value = { type: 'keys' })}
          >
            Keys <kbd>?</kbd>
          </button>
        </header>
        <main class="content">
          {isUnauthorized(error) ? (
            <Failed subject="The inspector" error={error} />
          ) : (
            <View questions={questions} />
          )}
        </main>
        <Dialogs />
        <KeyHelp />
        <Announcer />
      </div>
    </PageProvider.Provider>
  )
}

interface Service {
  readonly info?: ServiceInfo
  /** Of the last attempt. */
  readonly error?: unknown
}

/** The facts about the service, asked for until there is an answer. */
function useService(api: Api): Service {
  const [service, setService] = useState<Service>({})
  useEffect(() => {
    const asking = repeat(
      1000,
      async () => {
        setService({ info: await api.service() })
        asking.stop()
      },
      (error) => setService({ error }),
    )
    return () => asking.stop()
  }, [api])
  return service
}

function View({ questions }: { readonly questions: QuestionList }): VNode {
  const current = place.value
  switch (current.view) {
    case 'runs':
      return <Runs />
    case 'inbox':
      return <Inbox questions={questions} />
    case 'health':
      return <HealthView />
    case 'run':
      return <RunView key={current.runId} current={current} />
    case 'unknown':
      return (
        <div class="empty">
          <h1>There is no such view</h1>
          <p>
            <code class="said">{current.address}</code> leads nowhere. Go on with{' '}
            <Link to={{ view: 'runs' }}>the list of runs</Link>.
          </p>
        </div>
      )
  }
}

function Runs(): VNode {
  useKeyGroup(runsKeys, [])
  return <RunsView />
}

function Inbox({ questions }: { readonly questions: QuestionList }): VNode {
  useKeyGroup(inboxKeys, [])
  return <InboxView list={questions} />
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
