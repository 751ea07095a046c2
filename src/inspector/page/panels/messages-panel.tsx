/** The conversation of the chosen agent up to the row that is shown, and the message that it is writing. */
import type { VNode } from 'preact'
import type { ShownRun } from '../connection/run-session.ts'
import { plural } from '../shared/format.ts'
import { MessageItem, Spoken } from './message.tsx'
import { AsItEnded, NotThere, useView } from './not-there.tsx'

export function MessagesPanel({ session }: { readonly session: ShownRun }): VNode {
  const view = useView(session)
  const model = session.model.value
  const speech = model.isLive.value ? session.speech.value.get(model.path.value) : undefined
  if (view.state === 'failed') {
    return <NotThere session={session} subject="The messages" error={view.error} retry={view.retry} />
  }
  const { value } = view
  const messages = value?.messages ?? []
  if (value === undefined) return <p class="empty">Loading the messages …</p>
  return (
    <div aria-busy={view.state === 'loading'}>
      <AsItEnded session={session} />
      {messages.length === 0 && speech === undefined && (
        <div class="empty">
          <h2>No messages</h2>
          <p>
            <span class="said">{value.path}</span> has no conversation at this entry. Choose an agent on the
            left.
          </p>
        </div>
      )}
      {value.earlier !== undefined && (
        <p class="muted messages-earlier">
          {plural(value.earlier, 'earlier message')} {value.earlier === 1 ? 'is' : 'are'} not shown here: go
          back in the run to see {value.earlier === 1 ? 'it' : 'them'}.
        </p>
      )}
      {value.isCut === true && <p class="muted">Long texts and lists are cut.</p>}
      <ol class="messages">
        {messages.map((message, index) => (
          <MessageItem key={index} message={message} />
        ))}
        {speech !== undefined && <Spoken speech={speech} />}
      </ol>
    </div>
  )
}
